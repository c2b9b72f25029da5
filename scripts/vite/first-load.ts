import { brotliCompressSync } from 'node:zlib'
import type { Plugin, Rollup } from 'vite'

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
