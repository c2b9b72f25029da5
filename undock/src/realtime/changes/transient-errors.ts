/** SQLSTATE classes and codes worth retrying: lost connection, deadlock, insufficient resources, server restart, lock
 *  timeout. */
const TRANSIENT = /^(08|40|53|57P|55P03)/

/** Returns whether a retry may succeed because the server's state, not the statement, caused the error. */
export function isTransient(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string }
  if (typeof code !== 'string') return false
  // Other codes come from Node.js sockets.
  if (!/^[0-9A-Z]{5}$/.test(code)) return true
  return TRANSIENT.test(code) || (code === 'XX000' && /^tuple concurrently/.test(message ?? ''))
}
