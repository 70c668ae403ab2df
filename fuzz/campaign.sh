#!/usr/bin/env bash
# Runs each fuzz target to its count of executions, and prints its row for the table in README.md.
#
#   fuzz/campaign.sh                      all targets to their full counts: hours
#   fuzz/campaign.sh water_cell           some of them
#   SECONDS_EACH=5 fuzz/campaign.sh       this many seconds each, whatever the count: what CI does
#   fuzz/campaign.sh minimise [target…]   adds new inputs to fuzz/corpus, and reduces it to the least
#                                         set with the same coverage
#
# New inputs are collected in the target folder; only `minimise` changes fuzz/corpus. A crash stops
# the script with exit code 1 and leaves its input in fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")"

# No sanitizer: this crate has no unsafe code, and .ci/miri checks its dependencies. The C interface
# has, so its target is also run with SANITIZER=address. Comparisons are not traced: with whole worlds
# compared after each tick, that took six sevenths of the time.
build=(-s "${SANITIZER:-none}" --no-trace-compares)
found=${CARGO_TARGET_DIR:-target}/found

# The count of executions that a target must reach, and its options.
parameters() {
    case $1 in
        water_cell) count=10000000 options=(-max_len=32) ;;
        scenario_text) count=10000000 options=(-max_len=2048 -dict=scenario_text.dict -timeout=10) ;;
        # Six changes of four bytes each; shorter inputs make none.
        snapshot_bytes) count=10000000 options=(-max_len=27 -len_control=0) ;;
        # A hundred calls. Addresses are checked with SANITIZER=address.
        c_interface) count=1000000 options=(-max_len=1024 -timeout=20) ;;
        # Some forty operations.
        world_hostile) count=1000000 options=(-max_len=256 -len_control=0) ;;
        # Six damages of four bytes each, or lines of a text.
        recording_bytes) count=10000000 options=(-max_len=512 -timeout=10) ;;
        recording_replay) count=1000000 options=(-max_len=512 -timeout=10) ;;
        # A column of one section of numbers, whose arrays have 4,096 and 2,048 bytes.
        import_region) count=10000000 options=(-max_len=12288 -timeout=10) ;;
        import_*) count=10000000 options=(-max_len=2048 -timeout=10) ;;
        # Six damages of four bytes each, or all of the bytes; four regions run for three ticks.
        region_bytes) count=1000000 options=(-max_len=512 -len_control=0) ;;
        *_bytes) count=10000000 options=(-max_len=4096) ;;
        # After every operation all 4,096 cells of each chunk are compared, so runs are short.
        humidity | water_2d | blast_grid) count=1000000 options=(-max_len=96) ;;
        # Each run takes some thousand ticks.
        water_arrival) count=100000 options=(-max_len=48) ;;
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
    # Compiles them together, so that all cores have work.
    compile
fi
for target in "$@"; do
    "$act" "$target"
done
