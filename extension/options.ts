import { connectedAddress } from './settings.ts'

const { i18n } = chrome
document.documentElement.lang = i18n.getUILanguage()
document.documentElement.dir = i18n.getMessage('@@bidi_dir')
for (const element of document.querySelectorAll<HTMLElement>('[data-text]'))
  element.textContent = i18n.getMessage(element.dataset.text ?? '')

const form = document.querySelector('form')
const field = document.querySelector('input')
const status = document.querySelector('output')
if (!form || !field || !status) throw new Error('options.html lacks a part.')

field.value = (await connectedAddress()) ?? ''

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void connect(field.value.trim()).then((message) => {
    field.setAttribute('aria-invalid', String(message !== 'connected'))
    status.textContent = i18n.getMessage(message)
  })
})

/** @returns the name of a message. */
async function connect(entered: string): Promise<string> {
  const typed = /^https?:\/\//i.test(entered) ? entered : `https://${entered}`
  if (!URL.canParse(typed)) return 'noAddress'
  const { origin } = new URL(typed)
  // First, because the browser only asks within the user's click.
  if (!(await chrome.permissions.request({ origins: [`${origin}/*`] }))) return 'noPermission'
  try {
    const { name } = await (await fetch(`${origin}/manifest.webmanifest`)).json()
    if (name !== 'Carrel') return 'notCarrel'
  } catch {
    return 'noAnswer'
  }
  await chrome.storage.sync.set({ address: origin })
  return 'connected'
}
