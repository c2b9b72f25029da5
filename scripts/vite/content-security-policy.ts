import { createHash } from 'node:crypto'
import type { Plugin } from 'vite'

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
