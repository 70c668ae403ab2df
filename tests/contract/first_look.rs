//! What a reader sees first is there and true: examples with their commands, links, badges.

use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const README: &str = include_str!("../../README.md");
const EXAMPLES: &str = include_str!("../../examples/README.md");

/// Returns the files of the repository that the links and pictures of a page lead to.
fn files(page: &str) -> impl Iterator<Item = &str> {
    let after = |before: &'static str, end: char| {
        page.split(before).skip(1).filter_map(move |rest| rest.split_once(end))
    };
    let targets = after("](", ')').chain(after("<img src=\"", '"'));
    let pages = targets.map(|(target, _)| target.split('#').next().unwrap_or_default());
    pages.filter(|page| !page.is_empty())
}

#[test]
fn links_and_pictures_lead_to_files() {
    for (page, folder) in [(README, ROOT.to_owned()), (EXAMPLES, format!("{ROOT}/examples"))] {
        assert!(files(page).count() > 10);
        for file in files(page) {
            assert!(Path::new(&folder).join(file).exists(), "{folder}: {file}");
        }
    }
}

/// The folders of examples that are members of the workspace, each with what names its target.
const MEMBERS: [(&str, &str); 3] = [
    ("bevy_headless", "-p bevy_headless"),
    ("c", "-p floodplain-c"),
    ("valley", "--example valley"),
];

#[test]
fn each_example_is_listed_with_its_command() {
    let mut examples = 0;
    for entry in std::fs::read_dir(format!("{ROOT}/examples")).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("names are UTF-8");
        let script = ["build", "install"].into_iter().find(|script| path.join(script).is_file());
        let member = MEMBERS.iter().find(|(member, _)| *member == name);
        let command = if let Some(script) = script {
            format!("examples/{name}/{script}")
        } else if let Some((_, target)) = member {
            format!("cargo run --release {target}")
        } else if path.join("rust-toolchain.toml").is_file() {
            format!("cd examples/{name} && cargo run --release")
        } else if path.join("Cargo.toml").is_file() {
            format!("cargo run --release --manifest-path examples/{name}/Cargo.toml")
        } else if path.join("main.rs").is_file() || path.extension().is_some_and(|it| it == "rs") {
            format!("cargo run --release --example {name}")
        } else {
            continue; // data, shared code
        };
        examples += 1;
        let command = format!("`{command}");
        let is_row = |line: &str| line.contains(&command) && line.contains(&format!("**{name}**"));
        assert!(EXAMPLES.lines().any(is_row), "{name} has no row with {command}");
    }
    assert!(examples > 10);
}

#[test]
fn badges_say_what_the_manifest_says() {
    let manifest = include_str!("../../Cargo.toml");
    let bevy = "bevy_ecs = { version = \"0.20\"";
    assert!(manifest.contains("unsafe_code = \"forbid\"") && manifest.contains(bevy));
    let field = |name: &str| {
        let line = manifest.lines().find_map(|line| line.strip_prefix(&format!("{name} = \"")));
        line.and_then(|line| line.strip_suffix('"')).expect("a field of the manifest").to_owned()
    };
    let said = [
        ("licence", field("license")),
        ("rust", format!("{} or newer", field("rust-version"))),
        ("unsafe", "forbidden".to_owned()),
        ("bevy", "0.20, a plugin".to_owned()),
    ];
    for (badge, text) in said {
        let path = format!("{ROOT}/examples/data/badge_{badge}.svg");
        let picture = std::fs::read_to_string(path).expect("the badge is there");
        assert!(picture.contains(&format!(">{text}</text>")), "{badge}: {text}");
        assert!(README.contains(&format!("{text}](examples/data/badge_{badge}.svg)")), "{badge}");
    }
}

#[test]
fn all_packages_and_the_changelog_have_one_version() {
    let read = |path: &str| std::fs::read_to_string(format!("{ROOT}/{path}")).expect("it is there");
    let manifest = read("Cargo.toml");
    let version = manifest.lines().find(|line| line.starts_with("version = ")).expect("a version");
    for package in ["examples/c/Cargo.toml", "examples/web/Cargo.toml"] {
        assert!(read(package).lines().any(|line| line == version), "{package}: not {version}");
    }
    let number = version.trim_start_matches("version = ");
    assert!(read("examples/web/package.json").contains(&format!("\"version\": {number}")));
    assert!(read("CHANGELOG.md").contains(&format!("\n## [{}]", number.trim_matches('"'))));
}
