//! A writer of `.vox` files.

/// A model: its sides along x, y and z (up), and its voxels with their colours.
pub struct Model {
    pub size: [u32; 3],
    pub voxels: Vec<[u8; 4]>,
}

/// A node of a scene, with its attributes.
pub enum Node {
    Transform {
        child: u32,
        layer: i32,
        attributes: Vec<(&'static str, String)>,
        frame: Vec<(&'static str, String)>,
    },
    Group(Vec<u32>),
    Shape(u32),
}

/// A chunk of a file.
pub fn chunk(id: &str, content: &[u8], children: &[u8]) -> Vec<u8> {
    let sizes = [content, children].map(|part| (part.len() as u32).to_le_bytes()).concat();
    [id.as_bytes(), &sizes, content, children].concat()
}

fn numbers(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn dictionary(pairs: &[(&'static str, String)]) -> Vec<u8> {
    let text = |text: &str| [&numbers(&[text.len() as u32]), text.as_bytes()].concat();
    let pairs = pairs.iter().map(|(key, value)| [text(key), text(value)].concat());
    [numbers(&[pairs.len() as u32]), pairs.collect::<Vec<_>>().concat()].concat()
}

impl Node {
    fn chunk(&self, id: u32) -> Vec<u8> {
        let id = numbers(&[id]);
        let none = dictionary(&[]);
        match self {
            Node::Transform { child, layer, attributes, frame } => {
                let numbers = numbers(&[*child, u32::MAX, *layer as u32, 1]);
                let content = [id, dictionary(attributes), numbers, dictionary(frame)].concat();
                chunk("nTRN", &content, &[])
            }
            Node::Group(children) => {
                let children = [numbers(&[children.len() as u32]), numbers(children)].concat();
                chunk("nGRP", &[id, none, children].concat(), &[])
            }
            Node::Shape(model) => {
                let content = [id, none.clone(), numbers(&[1, *model]), none].concat();
                chunk("nSHP", &content, &[])
            }
        }
    }
}

/// The number of a blue, which is glass in the files below.
pub const WATER: u8 = 236;

/// A file of models, a scene, the colours from number 1 if there are any, and hidden layers.
pub fn file(models: &[Model], scene: &[Node], colours: &[[u8; 4]], hidden: &[u32]) -> Vec<u8> {
    let mut chunks = material(WATER, "_glass");
    for &layer in hidden {
        let attributes = dictionary(&[("_hidden", "1".to_owned())]);
        let content = [numbers(&[layer]), attributes, numbers(&[u32::MAX])].concat();
        chunks.extend(chunk("LAYR", &content, &[]));
    }
    if !colours.is_empty() {
        let mut palette = colours.to_vec();
        palette.resize(256, [0; 4]);
        chunks.extend(chunk("RGBA", &palette.concat(), &[]));
    }
    file_with(models, scene, &chunks)
}

/// The chunk with the material of a colour.
pub fn material(colour: u8, kind: &str) -> Vec<u8> {
    let properties = dictionary(&[("_weight", "1".to_owned()), ("_type", kind.to_owned())]);
    chunk("MATL", &[numbers(&[colour.into()]), properties].concat(), &[])
}

/// A file of models, a scene, and other chunks.
pub fn file_with(models: &[Model], scene: &[Node], chunks: &[u8]) -> Vec<u8> {
    let mut children = Vec::new();
    for model in models {
        children.extend(chunk("SIZE", &numbers(&model.size), &[]));
        let count = numbers(&[model.voxels.len() as u32]);
        children.extend(chunk("XYZI", &[count, model.voxels.concat()].concat(), &[]));
    }
    for (id, node) in scene.iter().enumerate() {
        children.extend(node.chunk(id as u32));
    }
    children.extend_from_slice(chunks);
    children.extend(chunk("NOTE", &[1, 2, 3], &[]));
    [b"VOX ".to_vec(), numbers(&[200]), chunk("MAIN", &[], &children)].concat()
}
