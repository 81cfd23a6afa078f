//! One report as one HTML file that needs nothing else: no script, no font, nothing from the net.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::table::Table;

/// What the generator tag of a report says: by this a folder is known as ours.
pub const GENERATOR: &str = r#"<meta name="generator" content="konklave">"#;

/// What the tag begins with that names the files of a report. Names are as in addresses.
const FILES: &str = r#"<meta name="konklave-files" content=""#;

/// The names of the files that a page of ours says belong to it. We write no names that need
/// quoting in an address.
pub(crate) fn files_of(page: &str) -> impl Iterator<Item = &str> {
    let files = page.split_once(FILES).and_then(|(_, rest)| rest.split_once('"'));
    files.map_or("", |(files, _)| files).split_whitespace()
}

/// The mark before a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Everything was as it should be.
    Good,
    /// A promise or a bound was broken.
    Bad,
    /// It cannot be told, because something was stopped early.
    Open,
}

/// A report that grows from top to bottom. Everything is escaped but the pictures.
#[derive(Clone, Debug)]
pub struct HtmlReport {
    title: String,
    body: String,
}

impl HtmlReport {
    /// A report with its title and nothing else.
    pub fn new(title: &str) -> Self {
        Self { title: title.to_owned(), body: format!("<h1>{}</h1>\n", escaped(title)) }
    }

    /// Says in a badge how it came out, and beside it in a sentence.
    pub fn verdict(mut self, mark: Mark, badge: &str, sentence: &str) -> Self {
        let (class, sign) = match mark {
            Mark::Good => ("good", "\u{2713}"),
            Mark::Bad => ("bad", "\u{2717}"),
            Mark::Open => ("open", "?"),
        };
        let (badge, sentence) = (escaped(badge), escaped(sentence));
        self.put(format_args!(
            "<p class=\"verdict\"><strong class=\"{class}\">{sign} {badge}</strong> {sentence}</p>"
        ));
        self
    }

    /// Says what was asked, as names and values.
    pub fn asked(mut self, fields: impl IntoIterator<Item = (impl AsRef<str>, String)>) -> Self {
        self.put(format_args!("<dl>"));
        for (name, value) in fields {
            self.put(format_args!(
                "<dt>{}</dt><dd>{}</dd>",
                escaped(name.as_ref()),
                escaped(&value)
            ));
        }
        self.put(format_args!("</dl>"));
        self
    }

    /// Shows the exact command that does it again.
    pub fn command(mut self, command: &str) -> Self {
        self.put(format_args!(
            "<p>This command does it again:</p>\n<pre class=\"command\"><code>{}</code></pre>",
            escaped(command)
        ));
        self
    }

    /// Begins a section.
    pub fn section(mut self, heading: &str) -> Self {
        self.put(format_args!("<h2>{}</h2>", escaped(heading)));
        self
    }

    /// Adds a paragraph.
    pub fn text(mut self, text: &str) -> Self {
        self.put(format_args!("<p>{}</p>", escaped(text)));
        self
    }

    /// Adds a table below its caption, which may be empty. Numbers stand at the right.
    pub fn table(mut self, table: &Table, caption: &str) -> Self {
        self.put(format_args!("<div class=\"wide\"><table>"));
        if !caption.is_empty() {
            self.put(format_args!("<caption>{}</caption>", escaped(caption)));
        }
        let is_number = |column: usize| {
            let mut cells = table.rows.iter().map(|row| &row[column]);
            cells.clone().any(|cell| cell.is_number())
                && cells.all(|cell| cell.is_number() || cell.shown().is_empty())
        };
        let numbers: Vec<_> = (0..table.columns.len()).map(is_number).collect();
        let class = |column: usize| if numbers[column] { " class=\"number\"" } else { "" };
        let mut line = String::new();
        for (column, name) in table.columns.iter().enumerate() {
            let _ = write!(line, "<th{}>{}</th>", class(column), escaped(name));
        }
        self.put(format_args!("<thead><tr>{line}</tr></thead>\n<tbody>"));
        for row in &table.rows {
            line.clear();
            for (column, cell) in row.iter().enumerate() {
                let _ = write!(line, "<td{}>{}</td>", class(column), escaped(&cell.shown()));
            }
            self.put(format_args!("<tr>{line}</tr>"));
        }
        self.put(format_args!("</tbody></table></div>"));
        self
    }

    /// Adds a picture of `konklave-draw` with its caption, which may be empty. It goes in as it is,
    /// so it must not come from elsewhere. A wide one takes the
    /// whole window and can be scrolled, others shrink to the page.
    pub fn picture(mut self, svg: &str, caption: &str) -> Self {
        let (figure, class) =
            if width(svg) > PAGE { (" class=\"broad\"", "wide") } else { ("", "fits") };
        self.put(format_args!("<figure{figure}><div class=\"{class}\">{}</div>", svg.trim_end()));
        if !caption.is_empty() {
            self.put(format_args!("<figcaption>{}</figcaption>", escaped(caption)));
        }
        self.put(format_args!("</figure>"));
        self
    }

    /// Adds text as it is, line by line.
    pub fn preformatted(mut self, text: &str) -> Self {
        self.put(format_args!("<pre>{}</pre>", escaped(text)));
        self
    }

    /// Adds links to files in the same folder: their names, and what is in them.
    pub fn files<'a>(mut self, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        self.put(format_args!("<ul class=\"files\">"));
        for (name, what) in files {
            let (href, name) = (address(name), escaped(name));
            let what = escaped(what);
            self.put(format_args!("<li><a href=\"{href}\">{name}</a>: {what}</li>"));
        }
        self.put(format_args!("</ul>"));
        self
    }

    /// The whole file.
    pub fn html(&self) -> String {
        self.html_of(&BTreeSet::new())
    }

    /// The whole file, which knows the names of the files beside it that belong to the report.
    pub(crate) fn html_of(&self, files: &BTreeSet<String>) -> String {
        let files: Vec<_> = files.iter().map(|name| address(name)[2..].to_owned()).collect();
        let files = files.join(" ");
        let (title, body) = (escaped(&self.title), &self.body);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             {GENERATOR}\n{FILES}{files}\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
             <body>\n<main>\n{body}</main>\n</body>\n</html>\n"
        )
    }

    fn put(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.body, "{line}");
    }
}

/// Text in which nothing is mistaken for markup. What HTML cannot hold becomes U+FFFD.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The address of a neighbouring file. It begins with `./`, so that no name is taken for a scheme.
fn address(name: &str) -> String {
    let mut address = "./".to_owned();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                address.push(byte.into());
            }
            byte => {
                let _ = write!(address, "%{byte:02X}");
            }
        }
    }
    address
}

/// The width of a picture, as its first tag says.
fn width(svg: &str) -> f64 {
    let tag = svg.split_once('>').map_or(svg, |(tag, _)| tag);
    let width = tag.split_once(" width=\"").and_then(|(_, rest)| rest.split_once('"'));
    width.and_then(|(width, _)| width.parse().ok()).unwrap_or(0.0)
}

/// The width of the page in pixels, where the window is wide enough.
const PAGE: f64 = 1056.0;

const STYLE: &str = include_str!("html/style.css");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Cell;

    const NASTY: &str = "<script>alert('1')</script> & \"x\" \u{1} ]]> -->";

    fn nasty() -> String {
        let table = Table::new([NASTY, "n"]).row([Cell::from(NASTY), Cell::from(3_u32)]);
        HtmlReport::new(NASTY)
            .verdict(Mark::Bad, NASTY, NASTY)
            .asked([(NASTY, NASTY.to_owned())])
            .command(NASTY)
            .section(NASTY)
            .text(NASTY)
            .table(&table, NASTY)
            .picture("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\"></svg>\n", NASTY)
            .preformatted(NASTY)
            .files([("javascript:alert(1)", NASTY), ("a b\"<.csv", NASTY)])
            .html()
    }

    #[test]
    fn nothing_that_is_told_becomes_markup() {
        let html = nasty();
        assert!(!html.contains("<script"));
        assert!(html.contains("href=\"./javascript%3Aalert%281%29\""));
        assert!(html.contains("href=\"./a%20b%22%3C.csv\""));
        assert_eq!(html.matches("&lt;script&gt;").count(), 16);
    }

    #[test]
    fn reports_are_well_formed_and_need_nothing_else() {
        let html = nasty().replacen("<!DOCTYPE html>\n", "", 1);
        // Without its void tags it must be XML, so everything that opens closes.
        let lines = html.lines().filter(|line| !line.starts_with("<meta"));
        let document = lines.collect::<Vec<_>>().join("\n");
        let document = roxmltree::Document::parse(&document).unwrap();
        for node in document.descendants() {
            for name in ["src", "onload", "onclick", "style"] {
                assert_eq!(node.attribute(name), None);
            }
            assert!(!["script", "link", "img", "iframe"].contains(&node.tag_name().name()));
        }
        assert!(!html.contains("@import") && !html.contains("url("));
        assert!(html.contains(GENERATOR));
    }

    #[test]
    fn columns_of_numbers_stand_at_the_right() {
        let table = Table::new(["name", "n", "mixed"])
            .row([Cell::from("a"), Cell::from(1_u32), Cell::from(1_u32)])
            .row([Cell::from("b"), Cell::Empty, Cell::from("x")]);
        let html = HtmlReport::new("").table(&table, "").html();
        assert!(html.contains("<th>name</th><th class=\"number\">n</th><th>mixed</th>"));
        assert!(!html.contains("<caption>"));
    }

    #[test]
    fn wide_pictures_scroll_and_others_shrink() {
        let html =
            |width| HtmlReport::new("").picture(&format!("<svg width=\"{width}\"/>"), "").html();
        assert!(html(1200).contains("<div class=\"wide\"><svg"));
        assert!(html(640).contains("<div class=\"fits\"><svg"));
    }
}
