// `npm run extension [-- --address URL]`: packs the browser extension into dist/extension and a ZIP for extension
// stores. With --address it's connected to that Carrel and needs no other permission: for installation by policy.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { zipSync } from 'fflate'
import { transformWithOxc } from 'vite'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SOURCE = join(ROOT, 'extension')
/** Makes builds reproducible. The ZIP format starts in 1980, in local time. */
const MODIFIED = new Date(1980, 0, 1)

type Files = Readonly<Record<string, Uint8Array>>

/** Returns the extension's files by name. @param address Carrel's address. Without it, the person enters one. */
export async function extensionFiles(address?: string): Promise<Files> {
  const names = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
  const files = await Promise.all(names.filter((name) => /\.\w+$/.test(name)).map((name) => fileOf(name, address)))
  const icons = ['icons/192.png', 'icons/512.png'].map(
    (name) => [name, readFileSync(join(ROOT, 'public', name))] as const,
  )
  return Object.fromEntries([...files, ...icons])
}

export const zipped = (files: Files): Uint8Array => zipSync(files, { mtime: MODIFIED })

async function fileOf(name: string, address: string | undefined): Promise<[name: string, content: Uint8Array]> {
  const text = readFileSync(join(SOURCE, name), 'utf8')
  const encode = (content: string) => new TextEncoder().encode(content)
  if (name === 'manifest.json') {
    const { optional_host_permissions, ...manifest } = JSON.parse(text)
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const permissions = address ? { host_permissions: [`${new URL(address).origin}/*`] } : { optional_host_permissions }
    return [name, encode(JSON.stringify({ ...manifest, version, ...permissions }, null, 2))]
  }
  if (!name.endsWith('.ts')) return [name, encode(text)]
  const { code } = await transformWithOxc(text, name, { target: 'es2023' })
  return [name.replace(/\.ts$/, '.js'), encode(code.replaceAll(/(from ["']\.\/[\w-]+)\.ts(?=["'])/g, '$1.js'))]
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { address: { type: 'string' }, help: { type: 'boolean' } } })
  if (values.help || (values.address !== undefined && !/^https?:\/\/[^/]+\/?$/.test(values.address))) {
    console.log(
      'npm run extension [-- --address https://library.example.org]: packs the browser extension into dist/extension.',
    )
    process.exit(values.help ? 0 : 2)
  }
  const folder = join(ROOT, 'dist', 'extension')
  const files = await extensionFiles(values.address)
  rmSync(folder, { recursive: true, force: true })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  writeFileSync(`${folder}.zip`, zipped(files))
  console.log(`The extension is in ${folder}, where a browser loads it unpacked, and in ${folder}.zip.`)
}
