import { brotliCompressSync } from 'node:zlib'
import type { Plugin, Rollup } from 'vite'

/** The maximum size of the JavaScript for a first visit to the sign-in page, in bytes as a browser receives it (Brotli). */
const LIMIT = 170_000
const FIRST_PAGE = /routes\/_visitor\/sign-in\.tsx/

/** Fails the build when the first page needs more JavaScript than LIMIT: the entry and the page's own chunk, with all
 *  their static imports. */
export function firstLoad(): Plugin {
  return {
    name: 'first-load',
    apply: 'build',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const wanted = chunks.filter(({ isEntry, facadeModuleId }) => isEntry || FIRST_PAGE.test(facadeModuleId ?? ''))
      if (wanted.length < 2) this.error('The build has no entry or no sign-in page.')
      const sizes = [...staticGraph(wanted, bundle)].map(
        ({ fileName, code }) => [fileName, brotliCompressSync(code).length] as const,
      )
      const total = sizes.reduce((sum, [, size]) => sum + size, 0)
      const list = sizes.toSorted((a, b) => b[1] - a[1]).map(([name, size]) => `  ${size}  ${name}`)
      const what = `First load: ${total} bytes of compressed JavaScript, at most ${LIMIT}:\n${list.join('\n')}`
      if (total > LIMIT) this.error(what)
      this.info(what)
    },
  }
}

function staticGraph(start: readonly Rollup.OutputChunk[], bundle: Rollup.OutputBundle): Set<Rollup.OutputChunk> {
  const reached = new Set(start)
  // Iterating over a set also visits elements that are added during the iteration.
  for (const { imports } of reached) {
    for (const name of imports) {
      const chunk = bundle[name]
      if (chunk?.type === 'chunk') reached.add(chunk)
    }
  }
  return reached
}
