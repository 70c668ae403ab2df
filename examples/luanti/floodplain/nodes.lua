-- The nodes of water, springs and drains. Water is shown by the flowing node of the game, whose
-- eight heights are in param2. The engine's own liquids must leave it alone, so the water of the
-- game is made no liquid to the engine: it only looks like one, and players swim in it.
local own = ...
local nodes = {}
own.nodes = nodes

local function colour(rgba) return "[combine:16x16^[noalpha^[colorize:" .. rgba .. ":255" end
local WATER = colour("#2a62b8") .. "^[opacity:150"

-- A game without water gets this one.
local function register(kind, drawtype)
    minetest.register_node("floodplain:water_" .. kind, {
        description = kind == "source" and "Water" or "Flowing Water",
        drawtype = drawtype,
        tiles = { WATER },
        special_tiles = {
            { name = WATER, backface_culling = false },
            { name = WATER, backface_culling = true },
        },
        use_texture_alpha = "blend",
        paramtype = "light",
        paramtype2 = kind == "flowing" and "flowingliquid" or nil,
        liquidtype = kind,
        liquid_alternative_flowing = "floodplain:water_flowing",
        liquid_alternative_source = "floodplain:water_source",
        liquid_viscosity = 1,
        post_effect_color = { a = 100, r = 30, g = 60, b = 120 },
        drop = "",
        drowning = 1,
        walkable = false,
        pointable = false,
        diggable = false,
        buildable_to = true,
        groups = { water = 3, liquid = 3, not_in_creative_inventory = 1 },
    })
end
register("source", "liquid")
register("flowing", "flowingliquid")

-- Both keep their node, and water is in their cell beside it.
minetest.register_node("floodplain:spring", {
    description = "Spring: water comes out of it as long as there is room",
    drawtype = "glasslike",
    tiles = { colour("#5fa8ff") .. "^[opacity:190" },
    use_texture_alpha = "blend",
    paramtype = "light",
    sunlight_propagates = true,
    walkable = false,
    groups = { cracky = 3, oddly_breakable_by_hand = 3 },
})
minetest.register_node("floodplain:drain", {
    description = "Drain: water that flows into it is gone",
    drawtype = "nodebox",
    node_box = {
        type = "fixed",
        fixed = {
            { -0.5, -0.5, -0.5, -0.375, -0.375, 0.5 },
            { -0.1875, -0.5, -0.5, -0.0625, -0.375, 0.5 },
            { 0.0625, -0.5, -0.5, 0.1875, -0.375, 0.5 },
            { 0.375, -0.5, -0.5, 0.5, -0.375, 0.5 },
        },
    },
    tiles = { colour("#404448") },
    paramtype = "light",
    sunlight_propagates = true,
    groups = { cracky = 3, oddly_breakable_by_hand = 3 },
})

local function is_water(node)
    local kind, is_wet = node.liquidtype, minetest.get_item_group(node.name, "water") > 0
    return is_wet and (kind == "source" or kind == "flowing")
end

-- Light passes it as it passes air, so that no light is computed anew where water moves.
local function tame(name, node)
    minetest.override_item(name, {
        liquidtype = "none",
        liquid_move_physics = true,
        move_resistance = node.liquid_viscosity or 1,
        sunlight_propagates = true,
        buildable_to = true,
        pointable = false,
        floodable = false,
    })
end

local function choose_source()
    local alias = minetest.registered_aliases["mapgen_water_source"]
    for _, name in ipairs({ own.settings.water_source or "", alias or "" }) do
        local node = minetest.registered_nodes[name]
        if node and is_water(node) then return name end
    end
    return "floodplain:water_source"
end

minetest.register_on_mods_loaded(function()
    nodes.source = choose_source()
    nodes.flowing = minetest.registered_nodes[nodes.source].liquid_alternative_flowing
    -- The kind of each node of water: there may be several, as that of rivers.
    nodes.water = {}
    for name, node in pairs(minetest.registered_nodes) do
        if is_water(node) then nodes.water[name] = node.liquidtype end
    end
    for name in pairs(nodes.water) do tame(name, minetest.registered_nodes[name]) end
end)
