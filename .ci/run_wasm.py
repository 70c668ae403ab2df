"""Runs a WASI command with wasmtime: run_wasm.py FILE.wasm [ARGUMENT...]. Its exit code is the command's."""

import sys

from wasmtime import Engine, ExitTrap, Linker, Module, Store, WasiConfig

engine = Engine()
linker = Linker(engine)
linker.define_wasi()
wasi = WasiConfig()
wasi.argv = sys.argv[1:]
wasi.inherit_stdout()
wasi.inherit_stderr()
store = Store(engine)
store.set_wasi(wasi)
instance = linker.instantiate(store, Module.from_file(engine, sys.argv[1]))
try:
    instance.exports(store)["_start"](store)
except ExitTrap as end:
    sys.exit(end.code)
