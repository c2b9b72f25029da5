const CRLF = /\r?\n/g
export const bytesOf = (message: string): Uint8Array => new TextEncoder().encode(message.replaceAll(CRLF, '\r\n'))

export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const TO = 'letters+abcdefghijklmnopqrst@in.example.org'

/** Outlook: related in mixed, a logo by Content-ID, Word HTML, tables, and the quoted mail below a rule. */
export const OUTLOOK = `From: =?iso-8859-1?Q?J=F6rg_M=FCller?= <joerg@example.com>
To: "Letters" <${TO}>
Subject: =?utf-8?B?QW5nZWJvdCBmw7xyIExhbXBlbg==?=
Date: Thu, 5 Mar 2026 11:00:00 +0100
Message-ID: <AM0PR01MB1234@eurprd01.prod.outlook.com>
Content-Type: multipart/mixed; boundary="_005_"
MIME-Version: 1.0

--_005_
Content-Type: multipart/related; boundary="_004_"; type="multipart/alternative"

--_004_
Content-Type: multipart/alternative; boundary="_000_"

--_000_
Content-Type: text/plain; charset="iso-8859-1"
Content-Transfer-Encoding: quoted-printable

Hallo, anbei das Angebot f=FCr die Lampen.

--_000_
Content-Type: text/html; charset="iso-8859-1"
Content-Transfer-Encoding: quoted-printable

<html xmlns:o=3D"urn:schemas-microsoft-com:office:office"><head><style><!-- p.MsoNormal {margin:0cm} --></style></head>
<body lang=3D"DE"><div class=3D"WordSection1"><p class=3D"MsoNormal">Hallo,<o:p></o:p></p>
<p class=3D"MsoNormal">anbei das <b>Angebot</b> f=FCr die Lampen.<o:p>&nbsp;</o:p></p>
<table class=3D"MsoTableGrid"><tr><td><p class=3D"MsoNormal">Lampe</p></td><td><p class=3D"MsoNormal">Preis</p></td></tr>
<tr><td><p class=3D"MsoNormal">=D6llampe</p></td><td><p class=3D"MsoNormal">12 &euro;</p></td></tr></table>
<p class=3D"MsoNormal"><img width=3D"1" height=3D"1" src=3D"cid:image001.png@01DA"></p>
<div style=3D"border:none;border-top:solid #E1E1E1 1.0pt"><p class=3D"MsoNormal"><b>Von:</b> Ada &lt;ada@example.org&gt;<br><b>Betreff:</b> Lampen</p></div>
<p class=3D"MsoNormal">Was kosten sie?</p></div></body></html>
--_000_--

--_004_
Content-Type: image/png; name="image001.png"
Content-ID: <image001.png@01DA>
Content-Disposition: inline; filename="image001.png"
Content-Transfer-Encoding: base64

${PIXEL}
--_004_--

--_005_
Content-Type: application/pdf; name="Angebot.pdf"
Content-Disposition: attachment; filename="Angebot.pdf"
Content-Transfer-Encoding: base64

JVBERi0xLjQKJSVFT0YK
--_005_--
`

/** Gmail: alternative, a quoted mail, a nested mail, and an RFC 2231 name. */
export const GMAIL = `MIME-Version: 1.0
Date: Fri, 6 Mar 2026 09:30:00 +0000
Message-ID: <CAF+abc@mail.gmail.com>
Subject: Re: Lamps
From: Ada Lovelace <ada@example.org>
To: ${TO}
Content-Type: multipart/mixed; boundary="0000"

--0000
Content-Type: multipart/alternative; boundary="1111"

--1111
Content-Type: text/plain; charset="UTF-8"

Yes, *both* of them.

--1111
Content-Type: text/html; charset="UTF-8"

<div dir="ltr">Yes, <a href="https://example.org/a_b?x=1">both</a> of them.<div><br></div></div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Thu, 5 Mar 2026, J wrote:<br></div><blockquote class="gmail_quote" style="margin:0"><div>Which?</div></blockquote></div>
--1111--
--0000
Content-Type: text/csv; charset="UTF-8"; name="prices.csv"
Content-Disposition: attachment; filename*=UTF-8''Preise%20%E2%82%AC.csv
Content-Transfer-Encoding: base64

bGFtcCwxMgo=
--0000
Content-Type: message/rfc822; name="Offer.eml"
Content-Disposition: attachment; filename="Offer.eml"

From: x@example.com
Subject: Offer
Content-Type: text/plain

The offer itself.
--0000--
`

/** Apple Mail: text between inline pictures, and a quoted reply. */
export const APPLE = `From: Ada <ada@example.org>
Content-Type: multipart/alternative; boundary="Apple-Mail=_1"
Mime-Version: 1.0 (Mac OS X Mail 16.0)
Subject: Two photos
Message-Id: <1F3A@example.org>
Date: Sat, 7 Mar 2026 08:00:00 +0100
To: ${TO}

--Apple-Mail=_1
Content-Type: text/plain; charset=us-ascii

Before.

After.

> On 6 Mar 2026, at 10:00, J <j@example.com> wrote:
> 
> Send photos.

--Apple-Mail=_1
Content-Type: multipart/mixed; boundary="Apple-Mail=_2"

--Apple-Mail=_2
Content-Type: text/html; charset=us-ascii

<html><body>Before.</body></html>
--Apple-Mail=_2
Content-Disposition: inline; filename="IMG_1.png"
Content-Type: image/png; name="IMG_1.png"
Content-Transfer-Encoding: base64

${PIXEL}
--Apple-Mail=_2
Content-Type: text/html; charset=us-ascii

<html><body>After.<blockquote type="cite"><div>On 6 Mar 2026, at 10:00, J wrote:</div><div>Send photos.</div></blockquote></body></html>
--Apple-Mail=_2--

--Apple-Mail=_1--
`

export const SCANNER = `From: scanner@example.org
To: ${TO}
Subject: Message from KM_C224e
Message-ID: <scan-1@example.org>
Content-Type: multipart/mixed; boundary="s"

--s
Content-Type: text/plain

 
--s
Content-Type: application/octet-stream; name="../SKM_2026.pdf"
Content-Disposition: attachment; filename="../SKM_2026.pdf"
Content-Transfer-Encoding: base64

JVBERi0xLjQKJSVFT0YK
--s--
`

/** Exchange to a recipient assumed to use Outlook: everything is in winmail.dat. */
export const WINMAIL = `From: joerg@example.com
To: ${TO}
Subject: Minutes
Message-ID: <tnef-1@example.com>
Content-Type: multipart/mixed; boundary="t"

--t
Content-Type: text/plain; charset="us-ascii"

See the minutes.
--t
Content-Type: application/ms-tnef; name="winmail.dat"
Content-Disposition: attachment; filename="winmail.dat"
Content-Transfer-Encoding: base64

eJ8+IgAAAAA=
--t--
`

/** A single-part mail with optional extra headers. */
export const plain = (text: string, headers = 'Content-Type: text/plain; charset=utf-8') => `From: Ada <ada@example.org>
To: ${TO}
Subject: Plain
Message-ID: <plain-${text.length}@example.org>
${headers}

${text}
`
