import { useEffect, useState } from "react"
import { createRoot } from "react-dom/client"
import { BrowserRouter, Link, Route, Routes, useParams } from "react-router-dom"
import titles from "../titles.json"

function Catalogue() {
  useEffect(() => void (document.title = "Component catalogue"), [])
  return (
    <main>
      <h1>Component catalogue</h1>
      <p>Every component that our services share, with what it is for and how to call it.</p>
      <ul>
        {titles.map((title) => (
          <li key={title}>
            <Link to={`/component/${title}`}>{title}</Link>
          </li>
        ))}
      </ul>
    </main>
  )
}

async function readText(name) {
  const response = await fetch(`/texts/${name}.json`)
  return response.json()
}

function Component() {
  const { name } = useParams()
  const [text, setText] = useState(null)
  useEffect(() => {
    setText(null)
    void readText(name)
      .catch(() => ({ title: "Not found", html: "<p>There is no such component.</p>" }))
      .then((read) => {
        document.title = `${read.title} | Component catalogue`
        return setText(read)
      })
  }, [name])
  if (!text) return <p>Loading…</p>
  return (
    <main>
      <nav>
        <Link to="/">Component catalogue</Link>
      </nav>
      <article>
        <h1>{text.title}</h1>
        <div dangerouslySetInnerHTML={{ __html: text.html }} />
      </article>
    </main>
  )
}

createRoot(document.getElementById("root")).render(
  <BrowserRouter>
    <Routes>
      <Route path="/" element={<Catalogue />} />
      <Route path="/component/:name" element={<Component />} />
    </Routes>
  </BrowserRouter>,
)
