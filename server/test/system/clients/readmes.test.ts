import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runToEnd } from '../../harness/child.ts';
import { GO_CLIENT, GO_ENV, go, mypy, PYTHON_CLIENT, PYTHON_ENV, ROOT } from './client-driver.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyward-readmes-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The programs of a README in a language. */
function programsIn(readme: string, language: string): string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  const programs = [...readFileSync(readme, 'utf8').matchAll(pattern)].map(([, code]) => code!);
  expect(programs.length).toBeGreaterThan(2);
  return programs;
}

const indented = (code: string): string => code.replaceAll(/^(?=.)/gm, '    ');

/** What the programs leave to the reader. */
const PYTHON_READER = `import logging
from typing import Any, List
from keyward import Keyward

log = logging.getLogger()
value = address = secret = ""
values: List[str] = []
request: Any = None
keyward = Keyward("http://127.0.0.1", None)

def forget(key: object) -> None: ...

def example() -> Any:
`;

it('the programs of the Python README pass mypy in strict mode', async () => {
  const files = programsIn(join(PYTHON_CLIENT, 'README.md'), 'python').map((code, n) => {
    const own = code.replaceAll(/^(?:import|from) .*\n/gm, '');
    const imports = code.match(/^(?:import|from) .*\n/gm) ?? [];
    const file = join(folder, `readme_${n}.py`);
    writeFileSync(file, `${imports.join('')}${PYTHON_READER}${indented(own)}`);
    return file;
  });
  const cache = join(ROOT, 'node_modules/.cache/mypy');
  const env = { ...PYTHON_ENV, MYPYPATH: PYTHON_ENV.PYTHONPATH };
  await runToEnd(mypy(), ['--strict', '--cache-dir', cache, ...files], folder, env);
});

const GO_IMPORTS = `package readme
import (
	"context"
	"io"
	"net/http"
	"os"
	"time"

	keyward "github.com/keyward/keyward/clients/go"
)
var _, _, _ = io.ReadAll, os.Getenv, time.Now
`;
const GO_READER = [
  'ctx context.Context, client *keyward.Client, value string, keys []keyward.KeyToValidate',
  'writer http.ResponseWriter, request *http.Request, secret string',
].join(', ');

it('the programs of the Go README compile', async () => {
  const functions = programsIn(join(GO_CLIENT, 'README.md'), 'go').map((code, n) => {
    const own = code.replaceAll(/^import .*\n/gm, '');
    const made = [...own.matchAll(/^([\w, ]+) :=/gm)].flatMap(([, names]) => names!.split(', '));
    const used = [...new Set(made)].filter((name) => name !== '_').map((name) => `_ = ${name}`);
    return `func example${n}(${GO_READER}) {\n{\n${own}\n${used.join('\n')}\n}\n}\n`;
  });
  writeFileSync(join(folder, 'readme.go'), GO_IMPORTS + functions.join('\n'));
  const manifest = readFileSync(join(ROOT, 'examples/edge-go/go.mod'), 'utf8');
  writeFileSync(join(folder, 'go.mod'), manifest.replace('../../clients/go', GO_CLIENT));
  await runToEnd(go(), ['build', './...'], folder, GO_ENV);
});
