/** A compiled catalog, keyed by English text (scripts/vite/sources.ts). */
declare module 'virtual:messages/*' {
  import type { Messages } from '@lingui/core'

  export const messages: Messages
}
