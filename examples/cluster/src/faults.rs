//! Errors and panics end all ranks: a rank that only ended itself would leave the others waiting
//! for its messages.

use floodplain::DecodeError;
use floodplain::parts::PartError;
use floodplain::regions::RegionError;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use std::fmt;

/// Why a run cannot go on.
#[derive(Debug)]
pub enum Fault {
    /// A world that does not fit its split, or messages and records that do not fit a part.
    Part(PartError),
    /// The command line does not fit together.
    Options(String),
    /// A scene that cannot be built.
    Scene(String),
    /// Reading or writing files.
    Files(std::io::Error),
    /// A save, or a message, with bytes that are not what they should be.
    Bytes(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Part(error) => error.fmt(f),
            Fault::Options(text) | Fault::Scene(text) | Fault::Bytes(text) => f.write_str(text),
            Fault::Files(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}

impl From<PartError> for Fault {
    fn from(error: PartError) -> Fault {
        Fault::Part(error)
    }
}

impl From<RegionError> for Fault {
    fn from(error: RegionError) -> Fault {
        Fault::Scene(error.to_string())
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Fault {
        Fault::Files(error)
    }
}

impl From<DecodeError> for Fault {
    fn from(error: DecodeError) -> Fault {
        Fault::Bytes(error.to_string())
    }
}

/// Lets a panic on one rank end all of them, after its message.
pub fn end_all_on_panic() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        print(panic);
        SimpleCommunicator::world().abort(101);
    }));
}

/// Prints an error, and ends all ranks.
pub fn end_all(fault: &Fault) -> ! {
    let world = SimpleCommunicator::world();
    eprintln!("cluster: rank {}: {fault}", world.rank());
    world.abort(1)
}
