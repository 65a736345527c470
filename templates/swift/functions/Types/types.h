#pragma once

struct point {
  double x, y;
};
