import { Select } from "../../design/field.tsx"
import { Group, type GroupProps, Line, Lines } from "./group.tsx"

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
export function LoginFields(form: GroupProps) {
  const { draft, onChange, wrong, exactly } = form
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
          <Line form={form} label="User" name="user" field="login.user" />
          <Line
            form={form}
            label="Password"
            name="password"
            field="login.password"
            placeholder="${WIKI_PASSWORD}"
            hint={SECRET}
            wrong={wrong("login.password") ?? exactly("login")}
          />
        </>
      )}
      {draft.login === "form" && (
        <Line form={form} label="Address of the page with the form" name="loginUrl" field="login.url" />
      )}
      {values !== null && (
        <Lines
          form={form}
          label={values.label}
          name="values"
          field="login.fields"
          hint={
            <>
              A name, a colon and a value a line: <code>{values.example}</code>. {SECRET}
            </>
          }
          wrong={wrong("login.headers", "login.cookies", "login.fields") ?? exactly("login")}
        />
      )}
      {draft.login === "form" && (
        <Line
          form={form}
          label="A text that only those see who are logged in"
          name="proof"
          field="login.proof"
          placeholder="Log out"
        />
      )}
    </Group>
  )
}
