/** One request of the account. */
import { useAnswer } from "../../api/queries.ts";
import { RequestDetail } from "../../features/requests/detail.tsx";
import { requestsWords } from "../../i18n/en/pages/requests.ts";
import { useWords } from "../../i18n/words.ts";
import { useParam } from "../../ui/navigation.tsx";
import { Loaded } from "../../ui/states.tsx";
import { PageHeader } from "../../ui/surfaces.tsx";

/** See above. */
export function RequestPage() {
  const t = useWords(requestsWords);
  const id = useParam("id");
  const request = useAnswer("get /requests/{id}", { params: { id } });
  return (
    <>
      <PageHeader
        title={t("requestTitle", { id })}
        shown={<span className="font-mono text-[1.2rem] break-all">{id}</span>}
        back={{ to: "/requests", label: t("backToList") }}
      />
      <Loaded query={request}>
        {(found) => <RequestDetail request={found} keyTo={`/keys/${encodeURIComponent(found.keyId)}`} />}
      </Loaded>
    </>
  );
}
