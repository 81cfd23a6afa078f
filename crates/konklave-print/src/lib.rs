//! Pictures as files. SVG stays what it is; PNG and PDF are made of it, with fonts that come with
//! the binary: so they look the same on every machine, with or without fonts of its own.

use std::fmt::{self, Display};
use std::path::Path;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, WriteOptions, fontdb};
use svg2pdf::{ConversionOptions, PageOptions};

const FAMILY: &str = "DejaVu Sans";

/// How many pixels of a PNG there are for one of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// As many as the picture says, where its width was asked for.
    Exact,
    /// Twice as many in each direction: enough for a printed page.
    Fine,
}

impl Resolution {
    fn scale(self) -> f32 {
        match self {
            Self::Exact => 1.0,
            Self::Fine => 2.0,
        }
    }
}

/// A PNG with more pixels than this takes too much memory, here and in most viewers.
const PIXELS: f64 = 2e8;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Vectors, for browsers and editors.
    Svg,
    /// Pixels, for slides and messengers.
    Png,
    /// Vectors, for papers.
    Pdf,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Svg, Self::Png, Self::Pdf];

    /// The format of a file with this name, by what it ends in.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        Self::ALL.into_iter().find(|format| ending.eq_ignore_ascii_case(format.ending()))
    }

    /// What the name of a file ends in.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Pdf => "pdf",
        }
    }
}

/// Why a picture has no file of a format.
#[derive(Debug)]
pub enum PrintError {
    /// It is not an SVG that can be read.
    Unreadable(String),
    /// It would have too many pixels.
    TooLarge {
        /// The width of the picture.
        width: f32,
        /// Its height.
        height: f32,
    },
    /// The file cannot be made of it.
    Unwritable(String),
}

impl Display for PrintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(problem) => write!(f, "the picture cannot be read: {problem}"),
            Self::TooLarge { width, height } => write!(
                f,
                "a picture of {width:.0} x {height:.0} is too large for a PNG file: write an SVG \
                 or a PDF file, or draw a part of it"
            ),
            Self::Unwritable(problem) => write!(f, "the picture cannot be converted: {problem}"),
        }
    }
}

impl std::error::Error for PrintError {}

/// The bytes of a file that shows an SVG picture.
///
/// # Errors
///
/// If it is not an SVG picture, or is too large for the format.
pub fn print(svg: String, format: Format, resolution: Resolution) -> Result<Vec<u8>, PrintError> {
    match format {
        Format::Svg => Ok(svg.into_bytes()),
        Format::Png => png(&read(&svg)?, resolution.scale()),
        Format::Pdf => pdf(&read(&svg)?),
    }
}

fn read(svg: &str) -> Result<Tree, PrintError> {
    let mut options = Options { font_family: FAMILY.to_owned(), ..Options::default() };
    let fonts: &mut fontdb::Database = options.fontdb_mut();
    // Regular and bold; there is no other weight in our pictures.
    for font in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_sans_serif_family(FAMILY);
    Tree::from_str(svg, &options).map_err(|error| PrintError::Unreadable(error.to_string()))
}

fn png(tree: &Tree, scale: f32) -> Result<Vec<u8>, PrintError> {
    let (width, height) = (tree.size().width(), tree.size().height());
    let too_large = || PrintError::TooLarge { width, height };
    let (wide, high) = ((width * scale).ceil(), (height * scale).ceil());
    if f64::from(wide) * f64::from(high) > PIXELS {
        return Err(too_large());
    }
    let mut pixels = Pixmap::new(wide as u32, high as u32).ok_or_else(too_large)?;
    resvg::render(tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PrintError::Unwritable(error.to_string()))
}

/// Letters are outlines, which need no font.
fn pdf(tree: &Tree) -> Result<Vec<u8>, PrintError> {
    let outlined = tree.to_string(&WriteOptions::default());
    svg2pdf::to_pdf(&read(&outlined)?, ConversionOptions::default(), PageOptions::default())
        .map_err(|error| PrintError::Unwritable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(text: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"120\" height=\"40\" \
             viewBox=\"0 0 120 40\"><rect width=\"120\" height=\"40\" fill=\"#ffffff\"/>\
             <text font-family=\"Helvetica,sans-serif\" font-size=\"20\" x=\"5\" y=\"25\">{text}\
             </text></svg>"
        )
    }

    #[test]
    fn a_file_has_the_format_of_its_name() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!(of("a/b.SVG"), Some(Format::Svg));
        assert_eq!(of("b.png"), Some(Format::Png));
        assert_eq!(of("b.c.pdf"), Some(Format::Pdf));
        assert_eq!((of("png"), of("b.jsonl")), (None, None));
    }

    #[test]
    fn text_is_drawn_although_no_font_of_the_machine_is_asked() {
        let pixels = |text: &str| {
            let png = print(picture(text), Format::Png, Resolution::Fine).unwrap();
            Pixmap::decode_png(&png).unwrap()
        };
        let (empty, full) = (pixels(""), pixels("Request"));
        assert_eq!((full.width(), full.height()), (240, 80));
        let dark = |pixels: &Pixmap| pixels.pixels().iter().filter(|it| it.red() < 128).count();
        assert_eq!(dark(&empty), 0);
        assert!(dark(&full) > 500, "{}", dark(&full));
        let words = [pixels("acquire"), pixels("ACQUIRE"), pixels("привет"), pixels("λ ≤ …")];
        assert!(words.iter().all(|word| dark(word) > 100));
    }

    #[test]
    fn a_pdf_has_the_size_of_the_picture_and_its_letters() {
        let pdf = |text: &str| print(picture(text), Format::Pdf, Resolution::Fine).unwrap();
        let (empty, full) = (pdf(""), pdf("Request"));
        assert!(full.starts_with(b"%PDF-"));
        assert!(full.len() > empty.len() + 500, "{} {}", full.len(), empty.len());
        let text = String::from_utf8_lossy(&full);
        assert!(text.contains("/MediaBox [0 0 120 40]"), "{text}");
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let error = print("<svg".to_owned(), Format::Pdf, Resolution::Fine).unwrap_err();
        assert!(matches!(error, PrintError::Unreadable(_)));
        let huge = picture("x").replace("height=\"40\" view", "height=\"4000000\" view");
        let error = print(huge, Format::Png, Resolution::Fine).unwrap_err().to_string();
        assert!(error.contains("120 x 4000000") && error.contains("SVG"), "{error}");
    }
}
