#!/usr/bin/env bash
# Runs fuzz targets until each has its count of executions, and prints a row of the table in README.md for each.
#
#   fuzz/campaign.sh                      all targets to their full counts: hours
#   fuzz/campaign.sh water_cell           some of them
#   SECONDS_EACH=5 fuzz/campaign.sh       so many seconds each, whatever the count: what CI does
#   fuzz/campaign.sh minimise [target…]   adds what was found to fuzz/corpus, and keeps the least set that covers as much
#
# What is found on the way gathers in the target folder; fuzz/corpus only changes when asked to. A crash stops the
# script with exit code 1; its input lies in fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")"

# No sanitizer: this crate has no unsafe code, and Miri (.ci/miri) looks after what it is built on. Comparisons are not
# traced: where whole worlds are compared after each tick, six sevenths of the time went there.
build=(-s none --no-trace-compares)
found=${CARGO_TARGET_DIR:-target}/found

# The count of executions that a target must reach, and its options.
parameters() {
    case $1 in
        water_cell) count=10000000 options=(-max_len=32) ;;
        scenario_text) count=10000000 options=(-max_len=2048 -dict=scenario_text.dict -timeout=10) ;;
        # Six damages of four bytes each; short inputs make none.
        snapshot_bytes) count=10000000 options=(-max_len=27 -len_control=0) ;;
        *_bytes) count=10000000 options=(-max_len=4096) ;;
        # Every operation is followed by a look at all 4,096 cells of each chunk, so runs are kept short.
        humidity | water_2d | blast_grid) count=1000000 options=(-max_len=96) ;;
        *) count=1000000 options=(-max_len=192) ;;
    esac
}

compile() { # a target, or nothing for all of them
    local log
    log=$(mktemp)
    cargo +nightly fuzz build "${build[@]}" "$@" 2> "$log" || { cat "$log"; return 1; }
}

fuzz() { # target, folders, options after --
    local target=$1
    shift
    cargo +nightly fuzz run "${build[@]}" "$target" "$@"
}

campaign() {
    local target=$1 log limit started seconds runs
    parameters "$target"
    limit=(-runs="$count")
    if [ -n "${SECONDS_EACH:-}" ]; then limit=(-max_total_time="$SECONDS_EACH"); fi
    mkdir -p "$found/$target" "corpus/$target"
    log=$(mktemp)
    compile "$target"
    started=$(date +%s)
    if ! fuzz "$target" "$found/$target" "corpus/$target" -- "${options[@]}" "${limit[@]}" -print_final_stats=1 2> "$log"; then
        tail -40 "$log"
        return 1
    fi
    seconds=$(($(date +%s) - started))
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    printf '| `%s` | %s | %s s | %s |\n' "$target" "$runs" "$seconds" "$(date +%F)"
}

minimise() {
    local target=$1 kept
    parameters "$target"
    kept=$(mktemp -d)
    mkdir -p "$found/$target" "corpus/$target"
    fuzz "$target" "$kept" "corpus/$target" "$found/$target" -- "${options[@]}" -set_cover_merge=1 -use_counters=0
    rm -rf "corpus/$target"
    mv "$kept" "corpus/$target"
    chmod 755 "corpus/$target"
}

act=campaign
if [ "${1:-}" = minimise ]; then
    act=minimise
    shift
fi
if [ $# -eq 0 ]; then
    mapfile -t targets < <(cargo +nightly fuzz list)
    set -- "${targets[@]}"
    # Together, so that all cores have work.
    compile
fi
for target in "$@"; do
    "$act" "$target"
done
