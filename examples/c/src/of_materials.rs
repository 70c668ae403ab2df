//! Values of worlds of materials. Without the feature `materials` they have a type without values,
//! so that the compiler drops all that would be done with one.

#[cfg(not(feature = "materials"))]
pub(crate) use none::{OfMaterials, with_materials};

/// What belongs to worlds of materials.
#[cfg(feature = "materials")]
pub(crate) type OfMaterials<T> = T;

/// Returns a value that belongs to worlds of materials.
#[cfg(feature = "materials")]
pub(crate) fn with_materials<T>(value: T) -> OfMaterials<T> {
    value
}

#[cfg(not(feature = "materials"))]
mod none {
    use crate::worlds::Kept;
    use core::convert::Infallible;
    use core::marker::PhantomData;
    use core::ops::{Deref, DerefMut};
    use floodplain::world::World;

    /// Nothing: there are no values.
    pub(crate) struct OfMaterials<T>(Infallible, PhantomData<T>);

    impl<T> Deref for OfMaterials<T> {
        type Target = T;

        fn deref(&self) -> &T {
            match self.0 {}
        }
    }

    /// Returns what would be made. The functions that make worlds of materials refuse to before.
    pub(crate) fn with_materials<T>(_: T) -> OfMaterials<T> {
        unreachable!("there are no worlds of materials")
    }

    impl From<Kept<World>> for OfMaterials<Kept<World>> {
        fn from(kept: Kept<World>) -> Self {
            with_materials(kept)
        }
    }

    impl<T> DerefMut for OfMaterials<T> {
        fn deref_mut(&mut self) -> &mut T {
            match self.0 {}
        }
    }
}
