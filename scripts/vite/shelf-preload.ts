import type { Plugin } from 'vite'

/** Files that every page of who is signed in needs beside those of the first page. */
const WANTED = new Set(['shelf', 'shared', 'icons'])

/** Has these files asked for with the first ones by whoever has a session, instead of when the first ones have run. */
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
