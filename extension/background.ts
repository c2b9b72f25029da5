// The extension's button and menu send the current page to a Carrel window, where the person is signed in and files it.
// The extension has no account or key, and reads a page only on request.
import { type Captured, capture } from './capture.ts'
import { connectedAddress, handOver } from './settings.ts'

/** The document or shelf that the app opens once something is kept, and the page that it opens otherwise. */
const KEPT = /^\/l\/[0-9a-f-]{36}(?:\/d\/[0-9a-f-]{36})?$/
const CANCELLED = /^\/$/

chrome.runtime.onInstalled.addListener(({ reason }) => {
  chrome.contextMenus.create({ id: 'page', title: chrome.i18n.getMessage('keep'), contexts: ['page'] })
  chrome.contextMenus.create({ id: 'selection', title: chrome.i18n.getMessage('highlight'), contexts: ['selection'] })
  if (reason === 'install') void askForAddress()
})
chrome.action.onClicked.addListener((tab) => void keep(tab))
chrome.contextMenus.onClicked.addListener((_, tab) => void (tab && keep(tab)))
chrome.tabs.onUpdated.addListener((id, { url }) => void (url && closeWhenDone(id, new URL(url).pathname)))

/** Unless the address was built in. */
async function askForAddress(): Promise<void> {
  if ((await connectedAddress()) === undefined) await chrome.runtime.openOptionsPage()
}

async function keep(tab: chrome.tabs.Tab): Promise<void> {
  const address = await connectedAddress()
  if (address === undefined) return chrome.runtime.openOptionsPage()
  const page = await captureFrom(tab)
  if (page === undefined) return say(tab.id, '!', 'notAPage')
  const opened = await chrome.windows.create({ url: `${address}/favicon.svg`, type: 'popup', width: 560, height: 640 })
  const [target] = opened?.tabs ?? []
  if (target?.id === undefined) return
  await chrome.storage.session.set({ [target.id]: tab.id })
  try {
    await loaded(target.id)
    await chrome.scripting.executeScript({ target: { tabId: target.id }, func: handOver, args: [page] })
  } catch {
    // The window shows why, or was closed.
    await say(tab.id, '!', 'noAnswer')
  }
}

/** @returns undefined for non-web pages, such as the browser's own. */
async function captureFrom({ id, url, title = '' }: chrome.tabs.Tab): Promise<Captured | undefined> {
  if (id === undefined || url === undefined || !/^https?:/.test(url)) return undefined
  try {
    const [frame] = await chrome.scripting.executeScript({ target: { tabId: id }, func: capture })
    if (frame?.result) return frame.result
  } catch {
    // Where scripts can't run, as in the PDF viewer, Carrel fetches the page itself.
  }
  return { title, url, quote: '', html: '' }
}

async function loaded(id: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const listen = (changed: number, { status }: { status?: string }) => {
    if (changed === id && status === 'complete') resolve()
  }
  chrome.tabs.onUpdated.addListener(listen)
  if ((await chrome.tabs.get(id)).status === 'complete') resolve()
  await promise
  chrome.tabs.onUpdated.removeListener(listen)
}

async function closeWhenDone(id: number, path: string): Promise<void> {
  const key = String(id)
  const { [key]: from } = await chrome.storage.session.get<Record<string, number>>(key)
  if (from === undefined || !(KEPT.test(path) || CANCELLED.test(path))) return
  await chrome.storage.session.remove(key)
  await chrome.tabs.remove(id)
  if (KEPT.test(path)) await say(from, '✓', 'kept')
}

/** Shows a badge on the extension's button while the tab shows this page. */
async function say(tabId: number | undefined, text: string, message: string): Promise<void> {
  if (tabId === undefined) return
  await chrome.action.setBadgeText({ tabId, text })
  await chrome.action.setTitle({ tabId, title: chrome.i18n.getMessage(message) })
}
