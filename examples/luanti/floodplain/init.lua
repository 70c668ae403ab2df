-- Finite water for Luanti. Each part of the mod is a file that gets one table, `own`, with the
-- library in it, and adds itself; what other mods may call is in the global table `floodplain`.
local outside = minetest.request_insecure_environment()
if not outside then
    error("floodplain loads a library: add it to secure.trusted_mods in the minetest.conf that "
        .. "this program reads (Debian's server: /etc/minetest/minetest.conf, or --config)")
end

floodplain = {}

local folder = minetest.get_modpath(minetest.get_current_modname())
local function part(name, ...) return assert(loadfile(folder .. "/" .. name .. ".lua"))(...) end

local own = { ffi = outside.require("ffi") }
own.settings = part("settings")
own.fp, own.check = part("floodplain")(own.ffi, folder .. "/floodplain.h",
    own.settings.library or folder .. "/libfloodplain_c.so")

for _, name in ipairs({
    "nodes", -- the nodes of water, springs and drains
    "cells", -- what a node is to water, and what node shows a cell
    "water", -- the world of water: its edits, its ticks and its file
    "ground", -- ground that a kill brought back displaces water
    "chunks", -- mapblocks become chunks, and chunks go with them
    "show", -- what has changed is written to the map
    "hooks", -- what players and mods do to nodes
    "bucket", -- an empty bucket takes what fills it
    "float", -- an entity that floats and drifts
    "steps", -- what happens in a step of the server, and how long it takes
    "command", -- /floodplain
    "interface", -- what other mods may call
}) do
    part(name, own)
end
