// header: gsl/gsl_integration.h
// package: gsl
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdio.h>
static double function(double x, void *parameters) { return log(*(double *)parameters * x) / sqrt(x); }
int main(void) {
  gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(1000);
  for (double factor = 1; factor < 3; factor++) {
    gsl_function f = {function, &factor};
    double value, error;
    int status = gsl_integration_qags(&f, 0, 1, 0, 1e-7, 1000, workspace, &value, &error);
    printf("%d %.10f %.2g\n", status, value, error);
  }
  gsl_integration_workspace_free(workspace);
}
