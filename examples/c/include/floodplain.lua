-- The C interface in LuaJIT, by its ffi, which reads the declarations from floodplain.h itself.
--
--   local open = dofile("floodplain.lua")
--   local fp, check = open(ffi, "floodplain.h", "./libfloodplain_c.so")
--   check(fp.fp_world_step(world, nil))

-- Returns the declarations of a header, and its numbers as constants. Of the preprocessor it knows
-- what this header needs: no condition holds but that of the guard and those of C.
local function declarations(path)
    local kept, conditions = {}, {}
    for line in assert(io.open(path)):lines() do
        local directive, rest = line:match("^#(%w+)%s*(.*)")
        local holds = true
        for _, condition in ipairs(conditions) do holds = holds and condition end
        if directive == "ifndef" then
            table.insert(conditions, true)
        elseif directive == "if" or directive == "ifdef" then
            table.insert(conditions, false)
        elseif directive == "else" then
            conditions[#conditions] = not conditions[#conditions]
        elseif directive == "endif" then
            table.remove(conditions)
        elseif directive == "define" and holds then
            local name, number = rest:match("^(FP_[%w_]+) ([%d()< ]+)$")
            if name then table.insert(kept, ("enum { %s = %s };"):format(name, number)) end
        elseif not directive and holds then
            table.insert(kept, line)
        end
    end
    return table.concat(kept, "\n")
end

-- Opens the library. Returns it, and a function that raises the words of a call that failed.
return function(ffi, header, library)
    ffi.cdef(declarations(header))
    local fp = ffi.load(library)
    local function check(status)
        if status == fp.FP_STATUS_OK then return end
        local words, length = ffi.new("char[512]"), ffi.new("size_t[1]")
        fp.fp_last_error(words, 512, length)
        error(("status %d: %s"):format(tonumber(status), ffi.string(words, length[0])), 2)
    end
    assert(fp.fp_interface_version() == fp.FP_INTERFACE_VERSION,
        "the library and its header are of different versions")
    return fp, check
end
