//! The texts that the four systems follow, what was taken from each, and what was not.
//!
//! Five texts describe four systems; the text on humidity exists in two languages. Ideas and
//! figures were taken from them. None of their words and none of their code is in this crate.
//!
//! | system | text | author, as the text says | licence, as the text says |
//! |---|---|---|---|
//! | [`water`](crate::water) | an answer to a question about voxel water, in Indonesian | unnamed | none stated |
//! | [`humidity`](crate::humidity) | *Diffusion Automata v1*, in Portuguese and English | unnamed: a prototype for the underground water of "my game" | none stated |
//! | [`blast`](crate::blast) | *Automatas Celulares para simulación de explosiones en juegos*, 2010-02-11, in Spanish | Ezequiel Pozzo, after talks with J. P. Carbajal | CC BY-NC-SA 2.5 Argentina |
//! | [`water2d`](crate::water2d) | documentation of an automaton for the flow of water in two dimensions, in Polish | unnamed | none stated |
//!
//! The texts refer to others: the Spanish text to T. Forsyth, *Cellular Automata for Physical
//! Modelling* (Game Programming Gems 3, 2001), whose algorithm its program implements; the Polish
//! text to W-Shadow, *Simple Fluid Simulation* (2009-09-01), and to an interview with the author of
//! Dwarf Fortress (Gamasutra, *The Making of Dwarf Fortress*, page 9).
//!
//! The licence of the Spanish text allows no commercial use, and demands the same licence for
//! adaptations. So none of its text, program and pictures is in this crate, only the ideas and
//! figures listed below.
//!
//! # Water
//!
//! Taken: the two bytes of a cell with their fields; layers from the bottom up, with the cells of a
//! layer in random order; flow traced along parents to its source; down, then sideways, then up
//! below the height of the source; refilled sources; activity that falls, and a small chance of
//! loss at zero.
//!
//! The text leaves two problems open: parents in a large pool lead nowhere in particular, and a
//! cell fed from several sides has one Direction only. Here pools level as bodies without parents,
//! and a cell may have several parents. [`water`](crate::water) says how.
//!
//! # Humidity
//!
//! Taken: the mean over four neighbours, weighted by their impermeability, with its order of
//! operations in `f32`; the cap of 1024; cells of rain, and rocks.
//!
//! The text says that a step reads a copy of the old state. Its program copies the outer list only,
//! so a step reads what it has just written. This crate has both:
//! [`Synchronous`](crate::humidity::Sweep::Synchronous) follows the text, and
//! [`InPlace`](crate::humidity::Sweep::InPlace) equals the program bit by bit. Neither conserves
//! humidity, as the author says. The default,
//! [`Conservative`](crate::humidity::Sweep::Conservative), is ours.
//!
//! # Explosions
//!
//! Taken: nodes with a pressure, and edges over which a part of the difference flows, at most a
//! quarter of what a node holds; obstacles as removed nodes or edges, weights, borders that are
//! rigid or periodic; the sum of the flows at a node as the force on an object, and its mean over
//! time as the impulse.
//!
//! The program visits each edge from both ends, so its coefficient of 0.12 acts as 0.24. Here each
//! edge is visited once with the coefficient in force, and an unstable one is refused. The damped
//! wave is ours.
//!
//! # Water in two dimensions
//!
//! Taken: integer levels of 100 a cell; five more for each cell of water above; down, then the two
//! sides in an order that is flipped in each step, then up.
//!
//! Where its words and its pseudocode differ, [`Rule::Literal`](crate::water2d::Rule::Literal)
//! follows the pseudocode, with the corrections that [`water2d`](crate::water2d) lists. It never
//! comes to rest where water lies beside water. The default rule, which does, is ours.
