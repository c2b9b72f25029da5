// The page of the inbox: a list and a reader. The content of a mail is set as text, or shown in a frame that runs no
// scripts; it never becomes part of this document.

const $ = (id) => document.getElementById(id)
const views = [...document.querySelectorAll('[data-view]')]

let mails = []
let shown = null
let view = 'html'

async function refresh() {
  const query = $('search').value.trim()
  const path = query ? `/api/v1/search?query=${encodeURIComponent(query)}&limit=500` : '/api/v1/messages?limit=500'
  const list = await (await fetch(path)).json()
  mails = list.messages
  $('unread').textContent = list.unread
  $('unread').hidden = list.unread === 0
  $('unread').setAttribute('aria-label', `${list.unread} unread`)
  document.title = list.unread > 0 ? `(${list.unread}) Inbox` : 'Inbox'
  $('empty').hidden = mails.length > 0
  $('empty').textContent = query ? 'No mail matches.' : 'No mail yet. Whatever the project sends arrives here.'
  $('delete-all').disabled = list.total === 0
  const chosen = chosenId()
  $('mails').replaceChildren(...mails.map((mail) => row(mail, mail.ID === chosen)))
}

function row(mail, isChosen) {
  const link = element('a', { href: `#${mail.ID}`, className: mail.Read ? '' : 'unread' })
  if (isChosen) link.setAttribute('aria-current', 'true')
  const created = new Date(mail.Created)
  link.append(
    element('span', {
      className: 'to',
      textContent: mail.To.map(({ Address }) => Address).join(', ') || '(no recipients)',
    }),
    element('time', { dateTime: mail.Created, textContent: shortTime(created), title: created.toLocaleString() }),
    element('span', { className: 'subject', textContent: mail.Subject || '(no subject)' }),
    element('span', { className: 'snippet', textContent: mail.Snippet }),
  )
  const item = document.createElement('li')
  item.append(link)
  return item
}

async function open() {
  const id = chosenId()
  document.body.classList.toggle('reading', id !== '')
  const response = id === '' ? null : await fetch(`/api/v1/message/${id}`)
  if (id !== chosenId()) return
  shown = response?.ok ? await response.json() : null
  $('mail').hidden = shown === null
  $('choose').hidden = shown !== null
  $('choose').textContent = response && !response.ok ? 'This mail is gone.' : 'Choose an email to read it.'
  if (shown) render(shown)
  await refresh()
}

function render(mail) {
  $('subject').textContent = mail.Subject || '(no subject)'
  const rows = { From: [mail.From], To: mail.To, Cc: mail.Cc, Bcc: mail.Bcc, 'Reply to': mail.ReplyTo }
  $('meta').replaceChildren(
    ...Object.entries(rows).flatMap(([name, addresses]) =>
      addresses.length > 0 ? term(name, addresses.map(address).join(', ')) : [],
    ),
    ...term('Date', new Date(mail.Date).toLocaleString()),
  )
  const code = /(?<![\w/=&-])\d{6,10}(?![\w/=&-])/.exec(mail.Text)?.[0]
  $('code').hidden = code === undefined
  $('code-value').textContent = code ?? ''
  $('attachments').replaceChildren(
    ...mail.Attachments.map((part) => {
      const item = document.createElement('li')
      item.append(
        element('a', {
          href: `/api/v1/message/${mail.ID}/part/${part.PartID}`,
          textContent: `${part.FileName || 'attachment'} (${part.Size.toLocaleString()} bytes)`,
        }),
      )
      return item
    }),
  )
  $('open').href = `/view/${mail.ID}.${mail.HTML ? 'html' : 'txt'}`
  views[0].disabled = mail.HTML === ''
  showAs(mail.HTML === '' && view === 'html' ? 'text' : view)
}

async function showAs(kind) {
  const mail = shown
  for (const button of views) button.setAttribute('aria-pressed', String(button.dataset.view === kind))
  $('html').hidden = kind !== 'html'
  $('plain').hidden = kind === 'html'
  if (kind === 'html') $('html').src = `/view/${mail.ID}.html`
  else {
    const text = await bodyAs(kind, mail)
    if (shown === mail) $('plain').textContent = text
  }
}

async function bodyAs(kind, mail) {
  if (kind === 'text') return mail.Text
  if (kind === 'source') return (await fetch(`/api/v1/message/${mail.ID}/raw`)).text()
  const headers = await (await fetch(`/api/v1/message/${mail.ID}/headers`)).json()
  return Object.entries(headers)
    .flatMap(([name, values]) => values.map((value) => `${name}: ${value}`))
    .join('\n')
}

const chosenId = () => location.hash.slice(1)
const address = ({ Name, Address }) => (Name ? `${Name} <${Address}>` : Address)
const element = (tag, properties) => Object.assign(document.createElement(tag), properties)
const term = (name, value) => [element('dt', { textContent: name }), element('dd', { textContent: value })]

function shortTime(date) {
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString([], { day: 'numeric', month: 'short' })
}

function remove(ids) {
  return fetch('/api/v1/messages', {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ IDs: ids }),
  })
}

addEventListener('hashchange', open)
$('search').addEventListener('input', refresh)
$('delete-all').addEventListener('click', async () => {
  if (!confirm('Delete every mail?')) return
  await remove([])
  location.hash = ''
})
$('delete').addEventListener('click', async () => {
  const index = mails.findIndex(({ ID }) => ID === shown.ID)
  const next = mails[index + 1] ?? mails[index - 1]
  await remove([shown.ID])
  location.hash = next?.ID ?? ''
})
$('copy-code').addEventListener('click', async () => {
  await navigator.clipboard.writeText($('code-value').textContent)
  $('status').textContent = 'Copied'
  setTimeout(() => {
    $('status').textContent = ''
  }, 1500)
})
for (const button of views)
  button.addEventListener('click', () => {
    view = button.dataset.view
    showAs(view)
  })

const events = new EventSource('/events')
for (const type of ['added', 'changed', 'removed']) events.addEventListener(type, refresh)
events.addEventListener('open', refresh)
open()
