import { afterAll, beforeAll, expect, test } from 'vitest'
import { argsOf } from '../../src/cli/arguments.ts'
import { rheo as root } from '../../src/cli/commands/rheo.ts'
import { checkFlags, findCommand } from '../../src/cli/find-command.ts'
import { commands } from './reference.ts'
import { openTerminal, type Terminal } from './terminal.ts'

let terminal: Terminal
beforeAll(async () => {
  terminal = await openTerminal()
})
afterAll(() => terminal.local.stop())

test('help names every command and group', async () => {
  const { code, out } = await terminal.rheo('--help')
  expect(code).toBe(0)
  expect(out).toMatchInlineSnapshot(`
    "Durable event streams with consumer groups (rheo)

    USAGE rheo streams|append|read|query|tail|event|groups|fetch|ack|nack|reject|release|consume|leases|dead-letters|replay|reset|token|profile|doctor|bench

    COMMANDS

           streams    Create, list, show and delete streams
            append    Append one event, or many from a file or stdin
              read    Read a part of a partition, in order
             query    Search a stream
              tail    Follow a stream: events as they are appended, until Ctrl-C
             event    Look up an event
            groups    Create, list, show, change and delete consumer groups; see how far they are
             fetch    Lease deliveries of a group
               ack    Settle leases as done
              nack    Give leases back to be tried again
            reject    Make dead letters of leases
           release    Give leases back unworked, their attempts refunded
           consume    Run a shell command for each event: exit code 0 acks it, any other lets it be tried again
            leases    List leases, and take them from a consumer
      dead-letters    List dead letters, and open them again
            replay    Deliver events to a group again
             reset    Start a group over; its attempts, leases and dead letters are forgotten
             token    Sign tokens
           profile    Save servers and tokens under names; default is used when none is named
            doctor    Try the server, and say what is wrong
             bench    Measure a server from here, on a stream that is made for it and deleted

    Use rheo <command> --help for more information about a command.

    Every command that calls a server takes --url, --token, --tenant, --profile and --json. Without them RHEO_URL,
    RHEO_TOKEN and RHEO_TENANT count, then the profile, then http://localhost:8787.
    Exit codes: 0 done, 1 failure, 2 wrong command line. Failures stand on stderr, their code first.
    "
  `)
  const groups = await terminal.rheo('groups --help')
  for (const name of ['create', 'list', 'show', 'lag', 'holes', 'patch', 'delete']) expect(groups.out).toContain(name)
})

test('help of a command has its flags and examples', async () => {
  expect((await terminal.rheo('streams create --help')).out).toMatchInlineSnapshot(`
    "Create a stream (rheo streams create)

    USAGE rheo streams create [OPTIONS] <STREAM>

    ARGUMENTS

      STREAM    Name of the stream (Required)

    OPTIONS

      --partitions=<n>    How many partitions, 1 to 256 (default: 1)
           --url=<URL>    Where the server is (RHEO_URL, else http://localhost:8787)
         --token=<JWT>    The bearer token (RHEO_TOKEN)
       --tenant=<name>    The tenant, where the server runs open (RHEO_TENANT)
      --profile=<name>    A saved server, for what is not given (RHEO_PROFILE)
                --json    Answer in JSON, also failures

    EXAMPLES

      rheo streams create orders --partitions 4
    "
  `)
})

test.each(commands)('%s has help, and examples with flags that it takes', async (path, one) => {
  const { code, out } = await terminal.rheo(`${path} -h`)
  expect(code).toBe(0)
  const { examples } = one
  expect(examples.length).toBeGreaterThan(0)
  for (const example of examples) {
    expect(out).toContain(`rheo ${example}`)
    expect(`${example} `).toContain(`${path} `)
    // Quotes do not matter here: what is in them begins with no dash.
    const words = example
      .replace(/'[^']*'|"[^"]*"|\$\(.*\)/g, 'x')
      .split(/ [|<>] /)[0]!
      .split(' ')
    const found = findCommand(root, words)
    expect(found.path.join(' ')).toBe(path.startsWith('token') && !example.startsWith('token') ? 'streams list' : path)
    if (found.path.join(' ') === path) checkFlags(found.words, argsOf(one))
  }
})

test('what the singular names is what the plural names', () => {
  for (const [word, name] of [
    ['stream', 'streams'],
    ['group', 'groups'],
  ] as const) {
    const below = commands.filter(([path]) => path.startsWith(`${name} `)).map(([path]) => path)
    expect(below.length).toBeGreaterThan(3)
    for (const path of below) expect(findCommand(root, path.replace(name, word).split(' ')).path.join(' ')).toBe(path)
  }
})

test.each([
  ['stream make orders', 'there is no command streams make'],
  ['stream lsit', 'there is no command streams lsit; did you mean list?'],
  ['fly', 'there is no command fly'],
  ['fly --help', 'there is no command fly'],
  ['help fly', 'there is no command fly'],
  ['--tenant acme fly', 'there is no command fly'],
  ['comsume orders billing', 'there is no command comsume; did you mean consume?'],
  ['dead list orders billing', 'there is no command dead; did you mean dead-letters?'],
  ['--nope', 'there is no --nope'],
  ['--versoin', 'there is no --versoin; did you mean --version?'],
  ['read orders --partitions 1', 'there is no --partitions; did you mean --partition?'],
  ['streams list --limt=3', 'there is no --limt; did you mean --limit?'],
  ['streams list --nope', 'there is no --nope'],
  ['streams list -x', 'there is no -x'],
  ['streams list --limit', '--limit needs a value'],
  ['streams list --limit ten', '--limit must be a whole number'],
  ['streams create', 'Missing required positional argument: STREAM'],
  ['streams show a b', 'b is one argument too many'],
  ['streams list --url nonsense', 'nonsense is no http or https URL'],
  ['streams list --url ftp://localhost', 'ftp://localhost is no http or https URL'],
  ['streams list --url http://localhost/v1', 'http://localhost/v1: give the URL without /v1'],
  ['streams list --url http://localhost/base/v1/', 'http://localhost/base/v1/: give the URL without /v1'],
  ['token create --url http://localhost', 'there is no --url'],
])('a wrong command line is told, with exit code 2: %s', async (line, told) => {
  const { code, out, err } = await terminal.rheo(line)
  expect({ code, out, told: err.split('\n')[0] }).toEqual({ code: 2, out: '', told })
  expect(err).toMatch(/\n\nSee: rheo.* --help\n$/)
})

test.each([
  ['', '--help'],
  ['streams', 'streams --help'],
])('a command line without a command is answered with what there is, and exit code 2: %s', async (line, help) => {
  const { out } = await terminal.rheo(help)
  expect(out).toContain('COMMANDS')
  expect(await terminal.rheo(line)).toEqual({ code: 2, out: '', err: `which command?\n\n${out}` })
})

test.each([
  ['help', '--help'],
  ['help streams', 'streams --help'],
  ['streams help', 'streams --help'],
  ['help streams create', 'streams create --help'],
  ['help --tenant acme read', 'read --help'],
])('%s is %s', async (line, help) => {
  const done = await terminal.rheo(line)
  expect(done).toEqual(await terminal.rheo(help))
  expect(done).toMatchObject({ code: 0, err: '' })
})

test('delete and remove are the same, wherever one of them is', () => {
  const paths = commands.map(([path]) => path).filter((path) => / (delete|remove)$/.test(path))
  expect(paths.length).toBeGreaterThan(2)
  for (const path of paths) {
    for (const verb of ['delete', 'remove']) {
      expect(findCommand(root, path.replace(/\w+$/, verb).split(' ')).path.join(' ')).toBe(path)
    }
  }
})

test('the version is that of the package', async () => {
  expect((await terminal.rheo('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('flags of every command may stand before it, and win over the environment', async () => {
  await terminal.rheo('streams create mine --tenant acme')
  const env = { RHEO_TENANT: 'other' }
  expect((await terminal.rheo('--json --tenant acme streams list', { env })).out).toContain('"name":"mine"')
  expect((await terminal.rheo('--tenant=acme streams list', { env })).out).toContain('mine')
  expect((await terminal.rheo('streams list', { env })).out).toBe('no streams\n')
})
