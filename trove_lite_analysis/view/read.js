// What every page begins with: where it fails it says so, and it reads the data that it holds.

const $ = (id) => document.getElementById(id);
const failed = (what) => { $("state").textContent = `This page failed (${what}): open it in a current browser.`; };
addEventListener("error", (event) => failed(event.message));
addEventListener("unhandledrejection", (event) => failed(event.reason));

async function read(id) {
  const letters = atob($(id).textContent);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

