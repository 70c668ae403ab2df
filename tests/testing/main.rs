//! The tools for tests: every law is found broken by its name, what is drawn is of all kinds and
//! shrinks, and the page's fuzz target is the one of `fuzz/`.

mod arrival;
mod drawn;
mod follow;
mod models;
mod own;
mod page;
mod watched;
