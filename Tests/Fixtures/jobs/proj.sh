printf '%.3f\n' "$(call proj_create null '+proj=utm +zone=32 +ellps=GRS80' --then proj_coord 0.2 0.9 0 0 --then proj_trans '$1' PJ_FWD '$2' | field xy.x)"
printf '%.3f\n' "$(call proj_create null '+proj=utm +zone=32 +ellps=GRS80' --then proj_coord 0.2 0.9 0 0 --then proj_trans '$1' PJ_FWD '$2' | field xy.y)"
