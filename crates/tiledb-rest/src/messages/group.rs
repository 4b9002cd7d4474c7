//! Groups.

use crate::encoding::{List, Text, messages};

use super::metadata::ArrayMetadata;
use super::values::Config;

messages! {
    /// A member of a group.
    GroupMember: 1 word, 3 pointers {
        URI "uri" at pointer 0: Text,
        TYPE "type" at pointer 1: Text,
        RELATIVE "relative" at 0: bool,
        NAME "name" at pointer 2: Text,
    }

    /// What is in a group.
    GroupDetails "Group.GroupDetails": 0 words, 3 pointers {
        MEMBERS "members" at pointer 0: List<GroupMember>,
        METADATA "metadata" at pointer 1: ArrayMetadata,
        LOGICAL_URI "logicalURI" at pointer 2: Text,
    }

    /// A group.
    Group: 0 words, 2 pointers {
        CONFIG "config" at pointer 0: Config,
        GROUP "group" at pointer 1: GroupDetails,
    }

    /// The metadata of a group, to be written.
    GroupMetadata: 0 words, 2 pointers {
        CONFIG "config" at pointer 0: Config,
        METADATA "metadata" at pointer 1: ArrayMetadata,
    }

    /// Which members come and go.
    GroupUpdateDetails "GroupUpdate.GroupUpdateDetails": 0 words, 2 pointers {
        MEMBERS_TO_REMOVE "members_to_remove" at pointer 0: List<Text>,
        MEMBERS_TO_ADD "members_to_add" at pointer 1: List<GroupMember>,
    }

    /// Asks for a group to be changed.
    GroupUpdate: 0 words, 2 pointers {
        CONFIG "config" at pointer 0: Config,
        GROUP_UPDATE "group_changes" at pointer 1: GroupUpdateDetails,
    }

    /// Where a group is to be made.
    GroupCreateDetails "GroupCreate.GroupCreateDetails": 0 words, 1 pointer {
        URI "uri" at pointer 0: Text,
    }

    /// Asks for a group to be made.
    GroupCreate: 0 words, 2 pointers {
        CONFIG "config" at pointer 0: Config,
        GROUP_DETAILS "group_details" at pointer 1: GroupCreateDetails,
    }
}
