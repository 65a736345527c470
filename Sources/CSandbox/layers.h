/*
 * The layers of a policy. Each function returns whether its layer is in force.
 */
#ifndef TROUPE_LAYERS_H
#define TROUPE_LAYERS_H

#include "policy.h"

/* Needs PR_SET_NO_NEW_PRIVS. */
int troupe_layer_files(const struct troupe_policy *policy);

/* Needs PR_SET_NO_NEW_PRIVS. Later layers may need calls that it refuses. */
int troupe_layer_calls(const struct troupe_policy *policy);

#endif
