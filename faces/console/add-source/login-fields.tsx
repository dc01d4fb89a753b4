import { Field, Select, TextArea } from "../../design/field.tsx"
import { Group, type GroupProps } from "./group.tsx"

const SECRET = (
  <>
    Names the secret: <code>{"${WIKI_PASSWORD}"}</code>. Over the console only those that{" "}
    <code>FOSSICK_API_SECRETS</code> lists.
  </>
)

const VALUES = {
  headers: { label: "Headers", example: "Authorization: Bearer ${TOKEN}" },
  cookies: { label: "Cookies", example: "session: ${WIKI_SESSION}" },
  form: { label: "Fields of the form", example: "password: ${WIKI_PASSWORD}" },
} as const

/** How the crawler logs in. */
export function LoginFields({ draft, onChange, wrong, exactly, onLeft }: GroupProps) {
  const values = draft.login === "none" || draft.login === "basic" ? null : VALUES[draft.login]
  return (
    <Group title="Login">
      <Select
        label="How the crawler logs in"
        name="login"
        value={draft.login}
        options={[
          { value: "none", label: "It does not" },
          { value: "form", label: "By a form" },
          { value: "basic", label: "User and password (basic authentication)" },
          { value: "headers", label: "By a token in a header" },
          { value: "cookies", label: "By the cookie of a session" },
        ]}
        wrong={draft.login === "none" ? wrong("login") : null}
        onChoose={(login) => onChange({ login })}
      />
      {draft.login === "basic" && (
        <>
          <Field
            label="User"
            name="user"
            value={draft.user}
            wrong={wrong("login.user")}
            onInput={(event) => onChange({ user: event.currentTarget.value })}
            onBlur={onLeft("login.user")}
          />
          <Field
            label="Password"
            name="password"
            value={draft.password}
            placeholder="${WIKI_PASSWORD}"
            hint={SECRET}
            wrong={wrong("login.password") ?? exactly("login")}
            onInput={(event) => onChange({ password: event.currentTarget.value })}
            onBlur={onLeft("login.password")}
          />
        </>
      )}
      {draft.login === "form" && (
        <Field
          label="Address of the page with the form"
          name="loginUrl"
          value={draft.loginUrl}
          wrong={wrong("login.url")}
          onInput={(event) => onChange({ loginUrl: event.currentTarget.value })}
          onBlur={onLeft("login.url")}
        />
      )}
      {values !== null && (
        <TextArea
          label={values.label}
          name="values"
          rows={3}
          value={draft.values}
          hint={
            <>
              A name, a colon and a value a line: <code>{values.example}</code>. {SECRET}
            </>
          }
          wrong={wrong("login.headers", "login.cookies", "login.fields") ?? exactly("login")}
          onInput={(event) => onChange({ values: event.currentTarget.value })}
          onBlur={onLeft("login.fields")}
        />
      )}
      {draft.login === "form" && (
        <Field
          label="A text that only those see who are logged in"
          name="proof"
          value={draft.proof}
          placeholder="Log out"
          wrong={wrong("login.proof")}
          onInput={(event) => onChange({ proof: event.currentTarget.value })}
          onBlur={onLeft("login.proof")}
        />
      )}
    </Group>
  )
}
