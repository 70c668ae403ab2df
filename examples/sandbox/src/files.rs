//! Files and lines of text, on a desktop; in a browser there are no files, and lines go to its
//! console.

#[cfg(not(target_arch = "wasm32"))]
mod desktop {
    use std::path::Path;

    /// What is told when a world was saved.
    pub const SAVED: &str = "saved to a file";

    /// Prints a line.
    pub fn say(line: &str) {
        println!("{line}");
    }

    /// Writes the bytes of a world; the error is one line.
    pub fn save(path: &Path, bytes: &[u8]) -> Result<(), String> {
        create_folder_of(path)?;
        std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Returns the bytes of a world that was saved, if there is one.
    pub fn load(path: &Path) -> Option<Vec<u8>> {
        std::fs::read(path).ok()
    }

    /// Writes a picture of red, green and blue, row by row from the top; the error is one line.
    pub fn write_picture(path: &Path, pixels: &[u8], size: [u32; 2]) -> Result<(), String> {
        create_folder_of(path)?;
        crate::png_file::save(path, pixels, size.into())
    }

    fn create_folder_of(path: &Path) -> Result<(), String> {
        let Some(folder) = path.parent() else { return Ok(()) };
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
    }
}

#[cfg(not(target_arch = "wasm32"))]
pub use desktop::*;

#[cfg(target_arch = "wasm32")]
mod browser {
    use std::path::Path;

    /// What is told when a world was saved.
    pub const SAVED: &str = "saved until the page is left";

    /// Writes a line to the console.
    pub fn say(line: &str) {
        miniquad::info!("{}", line);
    }

    /// Does nothing: the sandbox itself keeps the bytes.
    pub fn save(_: &Path, _: &[u8]) -> Result<(), String> {
        Ok(())
    }

    /// Returns nothing.
    pub fn load(_: &Path) -> Option<Vec<u8>> {
        None
    }

    /// Writes nothing: the browser takes pictures itself.
    pub fn write_picture(_: &Path, _: &[u8], _: [u32; 2]) -> Result<(), String> {
        Ok(())
    }
}

#[cfg(target_arch = "wasm32")]
pub use browser::*;
