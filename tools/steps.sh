# The steps of a test, each a function of the script that reads this file.
# run_steps NAME "STEP..." [STEP...]: runs the steps that are named, all of the list without any.
run_steps() {
    tested=$1 steps=$2
    shift 2
    for step; do
        case " $steps " in *" $step "*) ;; *) echo "STEP is '$step': one of $steps" >&2; exit 1 ;; esac
    done
    # shellcheck disable=SC2086 # one word per step
    [ $# -gt 0 ] || set -- $steps
    for step; do
        echo "$tested: $step"
        "$step"
    done
}
