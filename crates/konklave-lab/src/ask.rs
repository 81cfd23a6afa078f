//! What is asked of the server, and what it answers: no sockets here.

use serde_json::Value as Json;

/// A request.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// `GET` or `POST`.
    pub method: String,
    /// The path, with its query.
    pub path: String,
    /// What was sent along.
    pub body: Vec<u8>,
    /// The headers that decide who asks.
    pub host: Option<String>,
    /// The page that asks, if it says so.
    pub origin: Option<String>,
    /// Whether the browser says that another site asks.
    pub fetch_site: Option<String>,
    /// What the body is, if there is one.
    pub content_type: Option<String>,
    /// The version that the browser has already.
    pub known: Option<String>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// What the body is.
    pub content_type: &'static str,
    /// The body.
    pub body: Vec<u8>,
    /// The version of an asset, so that it is not sent twice.
    pub version: Option<String>,
}

impl Answer {
    /// An answer in JSON.
    pub fn json(value: &Json) -> Self {
        Self::of(200, "application/json", value.to_string().into_bytes())
    }

    /// A refusal: a sentence that says what would be right.
    pub fn refusal(status: u16, sentence: impl Into<String>) -> Self {
        let value = serde_json::json!({ "error": sentence.into() });
        Self { status, ..Self::json(&value) }
    }

    pub(crate) fn of(status: u16, content_type: &'static str, body: Vec<u8>) -> Self {
        Self { status, content_type, body, version: None }
    }
}
