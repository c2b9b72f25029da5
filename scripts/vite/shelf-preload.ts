import type { Plugin } from 'vite'

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
