import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants } from 'node:zlib'
import type { Plugin, Rollup } from 'vite'

const compress = promisify(brotliCompress)
const TEXTS = /\.(?:js|css|html|svg|webmanifest)$/
/** Bytes: a response of one packet gains nothing. */
const MIN_BYTES = 1_400
/** The files that a first visit waits for. */
const FIRST = new Set(['react', 'vendor', 'app', 'shared', 'shelf', 'sign-in'])

/** Adds a compressed copy of each file (`name.js.br`), which static file servers send. Production builds compress more,
 *  which takes ten seconds for a tenth less; others only do so for the first visit's files. */
export function compressed(): Plugin {
  let options: { folder: string; isForProduction: boolean }
  return {
    name: 'compressed',
    apply: 'build',
    configResolved({ root, build, mode }) {
      options = { folder: join(root, build.outDir), isForProduction: mode === 'production' }
    },
    // Other plugins still change files before they are written.
    async writeBundle(_, bundle) {
      await Promise.all(
        Object.entries(bundle)
          .filter(([name]) => TEXTS.test(name))
          .map(async ([name, file]) => {
            const path = join(options.folder, name)
            const content = await readFile(path)
            if (content.length < MIN_BYTES) return
            const isFirst = file.type === 'chunk' && FIRST.has(file.name)
            const params = { [constants.BROTLI_PARAM_QUALITY]: options.isForProduction || isFirst ? 11 : 5 }
            await writeFile(`${path}.br`, await compress(content, { params }))
          }),
      )
    },
  }
}

const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g

/** Adds a Content-Security-Policy to the built page: only the build's scripts run, inline ones by hash. In the page,
 *  because static hosts may not allow headers. Allows WebAssembly, which decodes PDF pictures and recognizes text, for
 *  which Tesseract uses a blob worker. */
export function contentSecurityPolicy(): Plugin {
  return {
    name: 'content-security-policy',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const hashes = Array.from(html.matchAll(INLINE_SCRIPT), ([, script = '']) => {
          return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
        })
        const content = [
          `script-src 'self' 'wasm-unsafe-eval' ${hashes.join(' ')}`,
          `worker-src 'self' blob:`,
          `object-src 'none'`,
          `base-uri 'none'`,
        ].join('; ')
        return [{ tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content }, injectTo: 'head-prepend' }]
      },
    },
  }
}

/** Files that every signed-in page needs in addition to the first ones. */
const WANTED = new Set(['shelf', 'shared'])

/** Preloads them if there is a session,
 *  instead of after the first files have run. */
export function shelfPreload(): Plugin {
  return {
    name: 'shelf-preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {} }) {
        const files = Object.values(bundle).flatMap((file) =>
          file.type === 'chunk' && WANTED.has(file.name) ? [`/${file.fileName}`] : [],
        )
        if (files.length !== WANTED.size) throw new Error(`The build has no ${[...WANTED].join(' or no ')}.`)
        const children = `if (/-auth-token(\\.\\d+)?=/.test(document.cookie))
        for (const href of ${JSON.stringify(files)})
          document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }))`
        return [{ tag: 'script', children, injectTo: 'head' }]
      },
    },
  }
}

/** JavaScript limits of a page's first visit, in bytes as received (Brotli). `parts` are what is loaded with the entry:
 *  the page's own files, and what it loads itself. */
const PAGES = [
  { name: 'The sign-in page', limit: 160_000, parts: [/routes\/_visitor\/sign-in\.tsx/] },
  {
    name: 'A shelf',
    limit: 230_000,
    parts: [/routes\/_signed-in\.tsx/, /routes\/_signed-in\/l\.\$library(\.index)?\.tsx/, /@supabase\/realtime-js\//],
  },
]

/** Fails the build if a first visit exceeds its limit. */
export function firstLoad(): Plugin {
  return {
    name: 'first-load',
    apply: 'build',
    generateBundle: {
      // Vite writes the names of lazy files into the first one.
      order: 'post',
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        for (const { name, limit, parts } of PAGES) {
          const found = parts.map((part) => chunks.filter(({ facadeModuleId }) => part.test(facadeModuleId ?? '')))
          if (found.some((files) => files.length === 0)) this.error(`The build lacks a file of this page: ${name}.`)
          const sizes = [...staticGraph([...chunks.filter(({ isEntry }) => isEntry), ...found.flat()], bundle)].map(
            ({ fileName, code }) => [fileName, brotliCompressSync(code).length] as const,
          )
          const total = sizes.reduce((sum, [, size]) => sum + size, 0)
          const list = sizes.toSorted((a, b) => b[1] - a[1]).map(([file, size]) => `  ${size}  ${file}`)
          const what = `${name}: ${total} bytes of compressed JavaScript, at most ${limit}:\n${list.join('\n')}`
          if (total > limit) this.error(what)
          this.info(what)
        }
      },
    },
  }
}

function staticGraph(start: readonly Rollup.OutputChunk[], bundle: Rollup.OutputBundle): Set<Rollup.OutputChunk> {
  const reached = new Set(start)
  // Iterating over a set visits elements added meanwhile.
  for (const { imports } of reached) {
    for (const name of imports) {
      const chunk = bundle[name]
      if (chunk?.type === 'chunk') reached.add(chunk)
    }
  }
  return reached
}
