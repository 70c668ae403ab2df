# How a server with the lab is run; sourced by `check`, `bench` and `take_pictures`.

PATH=$PATH:/usr/games:/usr/lib/minetest:/usr/lib/luanti
luanti_server() { command -v luantiserver || command -v minetestserver; }

# Makes a world: its folder, and the mods of this folder that it has.
world() {
    local world=$1
    mkdir -p "$world/worldmods"
    {
        echo "gameid = lab"
        for store in backend player_backend auth_backend mod_storage_backend; do
            echo "$store = sqlite3"
        done
    } > "$world/world.mt"
    for mod in "${@:2}"; do cp -r "$mod" "$world/worldmods/"; done
}

# Writes the settings of a world, with more of them from the input.
settings() {
    { cat << CONF
secure.trusted_mods = floodplain,bench
server_announce = false
bind_address = 127.0.0.1
num_emerge_threads = 1
max_forceloaded_blocks = 10000
enable_damage = false
creative_mode = true
CONF
        cat
    } > "$1.conf"
}

# Starts the server of a world; its output is in a log beside it, and `server` becomes its process.
start() {
    rm -f "$1.log"
    HOME=$(dirname "$1") MINETEST_SUBGAME_PATH=$PWD/games LUANTI_SUBGAME_PATH=$PWD/games \
        "$(luanti_server)" --info --world "$1" --gameid lab --config "$1.conf" \
        --port "${port:-39996}" > "$1.log" 2>&1 &
    server=$!
}

# Waits until the server ends, or its log has a line that matches, for so many seconds at most.
await() { # world, pattern, seconds
    local finish=$((SECONDS + $3))
    until grep -qaE "$2" "$1.log" 2> /dev/null; do
        kill -0 "$server" 2> /dev/null || return 0
        [ $SECONDS -lt $finish ] || return 0
        sleep 0.2
    done
}

# Ends the server at once, as a crash does.
crash() {
    if [ -n "${server:-}" ]; then
        kill -9 "$server" 2> /dev/null || true
        wait "$server" 2> /dev/null || true
    fi
    server=
}
