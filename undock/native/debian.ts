import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Suites of Debian that have each major. */
const SUITES: Readonly<Record<number, string>> = { 15: 'bookworm', 17: 'trixie', 18: 'forky' }
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** Fetches packages of the suite of Debian that has this major, whichever suite this machine has, and unpacks them into `root`; they
 *  are not installed. The package manager checks them by the suite's signature.
 *  @param folder Keeps the package manager's lists, and what it has fetched.
 *  @param sha256 The expected hash of each package, if it is pinned. */
export function unpackDebian(
  major: number,
  packages: readonly string[],
  { folder, root, sha256 }: { folder: string; root: string; sha256?: string },
): void {
  const suite = SUITES[major]
  if (!suite || !existsSync(KEYRING)) throw new Error('this is no Debian that could bring them')
  const state = join(folder, 'apt')
  const fetched = join(state, packages.join('+').slice(0, 100))
  for (const path of [join(state, 'lists/partial'), join(state, 'archives/partial'), fetched])
    mkdirSync(path, { recursive: true })
  const configuration = join(state, 'apt.conf')
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, {
      cwd: fetched,
      env: { ...process.env, APT_CONFIG: configuration },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  if (!existsSync(configuration)) {
    writeFileSync(
      join(state, 'sources.list'),
      `deb [signed-by=${KEYRING}] http://deb.debian.org/debian ${suite} main\n`,
    )
    writeFileSync(
      configuration,
      [
        `Dir::State::Lists "${state}/lists";`,
        `Dir::Cache "${state}";`,
        `Dir::Etc::SourceList "${state}/sources.list";`,
        'Dir::Etc::SourceParts "/dev/null";',
        ...(process.getuid?.() === 0 ? ['APT::Sandbox::User "root";'] : []),
      ].join('\n'),
    )
    run('apt-get', 'update', '-qq')
  }
  run('apt-get', 'download', '-qq', ...packages)
  for (const name of globSync('*.deb', { cwd: fetched })) {
    const found = createHash('sha256')
      .update(readFileSync(join(fetched, name)))
      .digest('hex')
    if (sha256 && found !== sha256) throw new Error(`the SHA-256 of ${name} is ${found} instead of ${sha256}`)
    run('dpkg-deb', '-x', name, root)
  }
}
