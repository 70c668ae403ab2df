-- The nodes of the lab: ground, a plant that water sweeps away, and water as games of Luanti have
-- it: endless, and the engine's own. Textures are single colours.
local function colour(rgba) return "[combine:16x16^[noalpha^[colorize:" .. rgba .. ":255" end

local function ground(name, rgb)
    minetest.register_node("lab:" .. name, {
        description = name,
        -- A darker frame makes single nodes seen.
        tiles = { colour(rgb) .. "^([combine:16x16^[noalpha^[colorize:#000000:255^[opacity:14)" },
        groups = { cracky = 3, oddly_breakable_by_hand = 3 },
        is_ground_content = true,
    })
end
ground("stone", "#7c7f86")
ground("dirt", "#7a5c3e")
ground("grass", "#5d8a3c")
ground("sand", "#cdb98a")
ground("wood", "#9a7443")

-- A pane so clear that it is not seen.
minetest.register_node("lab:pane", {
    description = "pane",
    drawtype = "airlike",
    paramtype = "light",
    sunlight_propagates = true,
    groups = { cracky = 3, oddly_breakable_by_hand = 3 },
})

minetest.register_node("lab:lamp", {
    description = "lamp",
    tiles = { colour("#fff0c0") },
    paramtype = "light",
    light_source = 13,
    groups = { cracky = 3, oddly_breakable_by_hand = 3 },
})

minetest.register_node("lab:weed", {
    description = "weed",
    drawtype = "plantlike",
    tiles = { colour("#4f9a30") },
    paramtype = "light",
    sunlight_propagates = true,
    walkable = false,
    floodable = true,
    buildable_to = true,
    groups = { snappy = 3, oddly_breakable_by_hand = 3 },
})

local WATER = colour("#2a62b8") .. "^[opacity:150"
local function water(kind, drawtype)
    minetest.register_node("lab:water_" .. kind, {
        description = "water",
        drawtype = drawtype,
        tiles = { WATER },
        special_tiles = {
            { name = WATER, backface_culling = false },
            { name = WATER, backface_culling = true },
        },
        use_texture_alpha = "blend",
        paramtype = "light",
        paramtype2 = kind == "flowing" and "flowingliquid" or nil,
        sunlight_propagates = true,
        liquidtype = kind,
        liquid_alternative_flowing = "lab:water_flowing",
        liquid_alternative_source = "lab:water_source",
        liquid_viscosity = 1,
        post_effect_color = { a = 100, r = 30, g = 60, b = 120 },
        walkable = false,
        pointable = false,
        diggable = false,
        buildable_to = true,
        drowning = 1,
        drop = "",
        groups = { water = 3, liquid = 3 },
    })
end
water("source", "liquid")
water("flowing", "flowingliquid")

minetest.register_alias("mapgen_stone", "lab:stone")
minetest.register_alias("mapgen_water_source", "lab:water_source")
minetest.register_alias("mapgen_river_water_source", "lab:water_source")

-- A hand that digs everything.
minetest.register_item(":", {
    type = "none",
    wield_image = colour("#b58a6a"),
    tool_capabilities = {
        groupcaps = {
            oddly_breakable_by_hand = { times = { [3] = 0.2 }, uses = 0 },
        },
    },
})
