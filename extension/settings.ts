/** The address of Carrel, without a slash at its end: as somebody has entered it, or as it was packed. Undefined without one, or when the
 *  browser's permission for it was taken back. */
export async function connectedAddress(): Promise<string | undefined> {
  const packed = chrome.runtime.getManifest().host_permissions?.[0]?.replace('/*', '')
  const { address = packed } = await chrome.storage.sync.get<{ address?: string }>('address')
  if (address === undefined) return undefined
  return (await chrome.permissions.contains({ origins: [`${address}/*`] })) ? address : undefined
}
