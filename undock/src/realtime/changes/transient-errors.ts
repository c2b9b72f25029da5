/** SQLSTATE classes and codes of errors that a retry may not meet again: a lost connection, a deadlock, insufficient
 *  resources, a server that restarts, a lock timeout. */
const TRANSIENT = /^(08|40|53|57P|55P03)/

/** Whether a retry may succeed, because the state of the server caused the error and not the statement. */
export function isTransient(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string }
  if (typeof code !== 'string') return false
  // SQLSTATE; other codes are those of Node.js' sockets.
  if (!/^[0-9A-Z]{5}$/.test(code)) return true
  return TRANSIENT.test(code) || (code === 'XX000' && /^tuple concurrently/.test(message ?? ''))
}
