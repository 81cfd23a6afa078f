// The lab in a real browser: `node --test crates/konklave-lab/browser/test.mjs` after a build of
// konklave. Pictures for the book go to the folder that PICTURES names.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const KONKLAVE = process.env.KONKLAVE ?? new URL("../../../target/debug/konklave", import.meta.url).pathname;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let [server, browser, address] = [];

before(async () => {
  server = spawn(KONKLAVE, ["lab", "--port", "3900"], { stdio: ["ignore", "pipe", "inherit"] });
  address = await new Promise((resolve, reject) => {
    let said = "";
    server.stdout.on("data", (text) => {
      said += text;
      const found = said.match(/http:\/\/[^\s\x1b]+/);
      if (found) resolve(found[0]);
    });
    server.on("exit", () => reject(new Error(`the lab has ended: ${said}`)));
  });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
});

after(async () => {
  await browser?.close();
  server?.kill();
});

// Opens a link in a new page; whatever the page complains about fails the test.
async function open(link, { width = 1280, height = 720, ...rest } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce", ...rest });
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(address)) page.complaints.push(`a request to ${request.url()}`);
  });
  await page.goto(address + link);
  await page.waitForFunction(() => window.lab && document.querySelector(".home h1, canvas, .error"));
  return page;
}

const probe = (page) => page.evaluate(() => window.lab.probe());
const until = (page, condition) => page.waitForFunction(condition, null, { timeout: 15_000 });
const standing = (page) => until(page, () => window.lab.probe().options?.length >= 0);

async function close(page) {
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

async function picture(page, name) {
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
}

async function isAccessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  assert.deepEqual(violations.map((it) => `${it.id}: ${it.nodes.map((node) => node.html).join(" ").slice(0, 300)}`), []);
}

test("two clicks lead to an algorithm that plays", async () => {
  const page = await open("");
  await page.click('[data-algorithm="raymond"]');
  await until(page, () => window.lab.probe().length > 0);
  await page.click('button[aria-label="play"]');
  await until(page, () => window.lab.probe().at > 2);
  await page.keyboard.press("Space");
  const { at } = await probe(page);
  await page.keyboard.press("ArrowLeft");
  assert.equal((await probe(page)).at, at - 1);
  await close(page);
});

test("every algorithm and every broken one opens, plays and steps back", async () => {
  const page = await open("");
  const { algorithms, specimens } = await page.evaluate(() => window.lab.repertoire);
  const links = [...algorithms.map((it) => `#run/${it.name}?nodes=7`), ...specimens.map((it) => `#specimen/${it.name}`)];
  for (const link of links) {
    await page.evaluate((hash) => (location.hash = hash), link);
    const name = link.split("/")[1].split("?")[0];
    const opened = page.waitForFunction((title) => document.querySelector(".error") || window.lab.lab?.cast?.algorithm === title, name);
    await opened.catch(() => assert.fail(`${link} does not open`));
    assert.equal(await page.locator(".error").count(), 0, link);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    const { at, length } = await probe(page);
    assert.ok(at <= 2 && (at > 0 || length <= 1), `${link} is at ${at} of ${length}`);
  }
  await close(page);
});

test("a lost message opens a take that says how it ends, and its link opens the same", async () => {
  const page = await open("#run/raymond?nodes=7&at=22");
  await standing(page);
  await picture(page, "lab-watch");
  await page.keyboard.press("x");
  await until(page, () => window.lab.probe().takes === 2);
  const lost = await probe(page);
  assert.ok(lost.isBad, lost.ending);
  assert.match(lost.ending, /one token/);
  assert.equal(await page.locator(".lane").count(), 2);
  await picture(page, "lab-take");
  const other = await open(lost.link);
  await until(other, () => window.lab.probe().takes === 2);
  const same = await probe(other);
  for (const name of ["at", "length", "ending", "messages", "link"]) assert.equal(same[name], lost[name], name);
  await close(page);
  await close(other);
});

test("going back and doing something else loses nothing", async () => {
  const page = await open("#play/ricart-agrawala?nodes=3");
  await standing(page);
  for (const press of ["1", "2", "1"]) {
    const { at } = await probe(page);
    await page.keyboard.press(press);
    await page.waitForFunction((before) => window.lab.probe().at === before + 1, at);
    await standing(page);
  }
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await standing(page);
  const first = await probe(page);
  const next = await page.evaluate(() => window.lab.lab.film.lines[window.lab.lab.at].note.do);
  await page.locator(`.moves .do[data-do]:not([data-do="${next}"])`).first().click();
  await until(page, () => window.lab.probe().takes === 3);
  await page.keyboard.press("[");
  assert.equal((await probe(page)).length, first.length);
  await close(page);
});

test("a parked message is delivered by a click, a node crashes by a key", async () => {
  const page = await open("#run/raymond?nodes=7&at=22");
  await standing(page);
  const { above, at } = await probe(page);
  const box = await page.locator("canvas").first().boundingBox();
  const { x, y, number } = above.messages[0];
  await page.mouse.click(box.x + x, box.y + y);
  await page.waitForFunction((before) => window.lab.probe().at === before + 1, at);
  assert.ok((await probe(page)).above.messages.every((it) => it.number !== number));
  await page.keyboard.press("c");
  await until(page, () => window.lab.lab.film.faults.some((fault) => fault.name === "crash"));
  await close(page);
});

test("the statement that sent a message is marked in the algorithm's file", async () => {
  const page = await open("#run/raymond?nodes=7&at=2");
  await page.locator("button.effect").first().click();
  await until(page, () => window.lab.probe().below?.lines.length > 0);
  const { file, lines } = (await probe(page)).below;
  assert.equal(file, "crates/konklave/src/mutex/raymond.rs");
  const source = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8").split("\n");
  assert.match(source[lines[0] - 1], /env\.send\(/);
  await picture(page, "lab-code");
  await close(page);
});

test("a broken algorithm is broken, and the win is remembered", async () => {
  const page = await open("#specimen/lamport-out-of-order");
  await standing(page);
  const par = await page.evaluate(() => window.lab.game.level.par);
  // Node 1 hears that its request is acknowledged before it hears of the older one of node 0.
  for (const move of ["a1", "a0", "d0", "d2"]) {
    const { at } = await probe(page);
    await page.locator(`.moves .do[data-do="${move}"]`).click();
    await page.waitForFunction((before) => window.lab.probe().at === before + 1, at);
    await standing(page);
  }
  const { broken, at } = await probe(page);
  assert.ok(broken.includes("mutual exclusion"));
  assert.equal(at, par);
  assert.match(await page.locator(".banner").innerText(), /Broken in/);
  await picture(page, "lab-game");
  await close(page);
});

test("a level is not won by a fault that it does not allow", async () => {
  const page = await open("#specimen/maekawa-without-inquire?do=a0,x0,o60&at=1");
  await standing(page);
  await page.keyboard.press("End");
  await until(page, () => window.lab.probe().at === window.lab.probe().length);
  await until(page, () => document.querySelector(".banner").innerText.includes("does not allow"));
  await close(page);
});

test("every single loss is tried", async () => {
  const page = await open("#run/suzuki-kasami?nodes=3&entries=1");
  await standing(page);
  await page.getByRole("button", { name: "What if each message were lost?" }).click();
  await until(page, () => window.lab.lab.losses?.length > 0);
  const losses = await page.evaluate(() => window.lab.lab.losses);
  assert.ok(losses.some((loss) => loss.broken) && losses.some((loss) => !loss.broken), JSON.stringify(losses));
  await close(page);
});

test("a schedule that stops being possible is played up to there", async () => {
  const page = await open("#run/raymond?nodes=7&cut=22&do=d9999");
  await until(page, () => document.querySelector('.banner [role="alert"]'));
  assert.match(await page.locator(".banner").innerText(), /possible up to move 0/);
  assert.equal((await probe(page)).at, 22);
  await close(page);
});

test("what cannot be shown is refused with a sentence", async () => {
  const cases = [
    ["#run/raymond?nodes=1000000000", /at most/], ["#run/raymond?quorums=file:/etc/passwd", /does not read files/],
    ["#run/raymnd", /did you mean 'raymond'/], ["#run/raymond?nodes=x", /write a number/], ["#trace/7", /open it again/],
  ];
  for (const [link, sentence] of cases) {
    const page = await open(link);
    await page.waitForSelector(".error");
    assert.match(await page.locator(".error").first().innerText(), sentence, link);
    page.complaints = page.complaints.filter((it) => !it.startsWith("Failed to load resource"));
    await close(page);
  }
});

test("sixty nodes of each form do not overlap, and their labels are readable", async () => {
  const systems = ["raymond?nodes=60", "chang-roberts?nodes=60", "echo?nodes=60&topology=grid:10x6", "central?nodes=60", "echo?nodes=60&topology=random-tree"];
  for (const system of systems) {
    const page = await open(`#run/${system}`);
    await until(page, () => window.lab.lab);
    await page.evaluate(() => window.lab.above.choose(0));
    await until(page, () => window.lab.probe().above?.nodes.length > 0);
    const { above: { nodes, radius } } = await probe(page);
    for (const a of nodes) {
      for (const b of nodes) {
        if (a.id < b.id) assert.ok(Math.hypot(a.x - b.x, a.y - b.y) >= 2 * radius, `${system}: ${a.id} and ${b.id}`);
      }
    }
    assert.ok(radius >= 5.5, `${system}: a radius of ${radius}`);
    await close(page);
  }
});

test("a narrow screen shows everything in one column", async () => {
  const page = await open("#run/raymond?nodes=7&at=22", { width: 375, height: 720 });
  await standing(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 375, `${wide} pixels`);
  await close(page);
});

for (const colorScheme of ["light", "dark"]) {
  test(`everybody can use it: ${colorScheme}`, async () => {
    for (const link of ["", "#run/raymond?nodes=7&at=22", "#specimen/maekawa-without-inquire"]) {
      const page = await open(link, { colorScheme });
      if (link) await standing(page);
      await isAccessible(page);
      await close(page);
    }
    const page = await open("#run/ricart-agrawala?nodes=13&at=30", { colorScheme });
    await standing(page);
    await page.keyboard.press("g");
    await isAccessible(page);
    await close(page);
  });
}
