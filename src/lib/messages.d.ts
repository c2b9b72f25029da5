/** A catalogue, made ready by the build: from English to what `i18n.ts` shows. */
declare module 'virtual:messages/*' {
  import type { Messages } from '@lingui/core'

  export const messages: Messages
}
