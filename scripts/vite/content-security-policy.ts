import { createHash } from 'node:crypto'
import type { Plugin } from 'vite'

const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g

/** Adds a Content-Security-Policy to the built page: only scripts of the build run, the inline ones by their hash. It is part of the
 *  page, because a static host may not let its user set headers. WebAssembly decodes pictures of PDFs and recognizes text, which
 *  Tesseract does in a worker from a blob. */
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
