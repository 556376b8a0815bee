import { afterAll, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../server/test/harness/eventually.ts'
import { debianProgram, installAndFind, noteMissing } from '../../server/test/harness/run/debian-program.ts'
import { root } from '../../server/test/harness/run/run-service.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { makeSearchPath } from './harness/search-path.ts'

// The clients for Python and Go with their own tests and the examples of their READMEs, as their users run them.

const scratch = newDirectory()
afterAll(() => scratch.remove())
const at = (...names: string[]) => join(scratch.path, ...names)

const withProgram = makeSearchPath(at('with-program'), 'node', ['petstore', join(root, 'cli/bin/petstore.js')])
const withNpx = makeSearchPath(at('with-npx'), 'node', 'npx', 'sh')

async function run(cwd: string, words: readonly string[], env: Record<string, string>) {
  mkdirSync(at('tmp'), { recursive: true })
  const child = Bun.spawn([...words], {
    cwd,
    env: { HOME: at('home'), TMPDIR: at('tmp'), npm_config_offline: 'true', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  // Hosts end with the tests, and remove what they kept.
  await eventually(() => readdirSync(at('tmp')).every((name) => !name.startsWith('petstore-')))
  return { code, output: output + errors }
}

const exampleOf = (language: string) =>
  new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(
    readFileSync(join(root, 'clients', language, 'README.md'), 'utf8'),
  )?.[1] ?? ''

const python = installAndFind(
  ['python3', 'python3-pip', 'python3-pytest', 'python3-setuptools', 'python3-wheel'],
  () =>
    ['pip', 'pytest', 'setuptools', 'wheel'].every((name) => existsSync(`/usr/lib/python3/dist-packages/${name}`))
      ? '/usr/bin/python3'
      : undefined,
)
if (python === undefined) noteMissing('pytest and pip')

test.skipIf(python === undefined)(
  'Python: pip installs the package, pytest has its fixture, and the tests pass',
  async () => {
    cpSync(join(root, 'clients/python'), at('python'), { recursive: true })
    const pip = ['-m', 'pip', 'install', '--quiet', '--root-user-action=ignore', '--no-index', '--no-build-isolation']
    const install = await run(scratch.path, [python ?? '', ...pip, '--target', at('site'), at('python')], {})
    expect(install).toEqual({ code: 0, output: '' })
    const client = `
import json, urllib.request
class my_client:
    def __init__(self, url, key):
        self.url, self.headers = url, {"X-API-Key": key, "Idempotency-Key": "one", "Content-Type": "application/json"}
    def place_order(self, pet_id):
        request = urllib.request.Request(f"{self.url}/store/orders", json.dumps({"petId": pet_id}).encode(), self.headers)
        try:
            return urllib.request.urlopen(request)
        except ConnectionError:
            return urllib.request.urlopen(request)
`
    writeFileSync(at('python/tests/test_readme.py'), client + exampleOf('python'))
    const pytest = ['-m', 'pytest', '-p', 'no:cacheprovider', 'tests']
    const { code, output } = await run(at('python'), [python ?? '', ...pytest], {
      PATH: withProgram,
      PYTHONPATH: at('site'),
      PYTHONDONTWRITEBYTECODE: '1',
    })
    expect([code, output]).toEqual([0, expect.stringMatching(/petstore-sandbox-1\.0\.0[\s\S]* 10 passed in /)])
  },
  300_000,
)

const go = debianProgram('go', ['golang-go'])
test.skipIf(go === undefined)(
  'Go: the tests pass, with a host that npx starts',
  async () => {
    cpSync(join(root, 'clients/go'), at('go'), { recursive: true })
    // Where npx finds the command line.
    symlinkSync(join(root, 'node_modules'), at('node_modules'))
    const client = `package sandbox_test
import ("net/http"; "strings"; "testing"; "petstore.example/clients/go/sandbox")
type myClient struct { url, key string }
func NewMyClient(url, key string) myClient { return myClient{url, key} }
func (c myClient) PlaceOrder(petID int) {
	for range []int{1, 2} {
		request, _ := http.NewRequest("POST", c.url+"/store/orders", strings.NewReader(\`{"petId":23}\`))
		for name, value := range map[string]string{"X-API-Key": c.key, "Idempotency-Key": "one", "Content-Type": "application/json"} {
			request.Header.Set(name, value)
		}
		if response, err := http.DefaultClient.Do(request); err == nil { response.Body.Close(); return }
	}
}
`
    writeFileSync(at('go/sandbox/readme_test.go'), client + exampleOf('go'))
    const env = { PATH: withNpx, GOPROXY: 'off', GOTOOLCHAIN: 'local', CGO_ENABLED: '0', GOFLAGS: '-count=1' }
    const { code, output } = await run(at('go'), [go ?? '', 'test', '-v', './...'], env)
    expect([code, output]).toEqual([0, expect.stringMatching(/--- PASS: TestAnOrderIsPlacedOnce[\s\S]*\nok /)])
  },
  600_000,
)
