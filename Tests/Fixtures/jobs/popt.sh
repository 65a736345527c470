options='[{"longName": "count", "shortName": 99, "argInfo": 2, "arg": null, "val": 1, "descrip": null, "argDescrip": null}, {"longName": null, "shortName": 0, "argInfo": 0, "arg": null, "val": 0, "descrip": null, "argDescrip": null}]'
call poptGetContext program 3 '["program", "--count=7", "rest", null]' "$options" 0 --then poptGetNextOpt '$1.result'
call poptGetContext program 3 '["program", "--count=7", "rest", null]' "$options" 0 --then poptGetNextOpt '$1.result' --then poptGetOptArg '$1.result'
