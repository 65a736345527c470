call cblas_dgemm CblasRowMajor CblasNoTrans CblasNoTrans 2 2 2 1 '[1, 2, 3, 4]' 2 '[5, 6, 7, 8]' 2 0 '[0, 0, 0, 0]' 2
call cblas_ddot 4 '[1, 2, 3, 4]' 1 '[5, 6, 7, 8]' 1
