// First code of the single executable. Node reads modules, threads and pages from files, so the files
// inside the executable are written to a cache folder at the first start.
const fs = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const path = require('node:path');
const sea = require('node:sea');

/** The asset that identifies the content; all others are files. */
const CONTENT_ID = 'content-id';
const paths = sea.getAssetKeys().filter((name) => name !== CONTENT_ID);

function writeFiles(folder) {
  for (const name of paths) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(file, Buffer.from(sea.getRawAsset(name)));
  }
}

/** The folder with the files. Other starts may write it at the same time; a rename makes it whole. */
function cachedFiles() {
  const cache = path.join(
    process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'),
    'keyward',
  );
  const folder = path.join(cache, sea.getAsset(CONTENT_ID, 'utf8'));
  if (fs.existsSync(folder)) return folder;
  fs.mkdirSync(cache, { recursive: true, mode: 0o700 });
  const written = fs.mkdtempSync(path.join(cache, 'new-'));
  writeFiles(written);
  try {
    fs.renameSync(written, folder);
  } catch (error) {
    fs.rmSync(written, { recursive: true });
    if (!fs.existsSync(folder)) throw error;
  }
  return folder;
}

/** For a read-only home folder: files of this process alone. */
function temporaryFiles() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keyward-'));
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder);
  return folder;
}

function files() {
  try {
    return cachedFiles();
  } catch {
    return temporaryFiles();
  }
}

// A reader of the database is started by another process of this program, and runs the files of that one.
const { KEYWARD_READER_FILES } = process.env;
const start = KEYWARD_READER_FILES
  ? path.join(KEYWARD_READER_FILES, 'reader.cjs')
  : path.join(files(), 'start.cjs');
createRequire(start)(start);
